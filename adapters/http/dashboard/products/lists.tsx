import type { VNode } from 'preact';
import { keyModes } from '../../../../core/accounts/api-key.ts';
import { isPublic, type Product, productStatuses } from '../../../../core/marketplace/product.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Filter, FilterSelect } from '../../ui/filter.tsx';
import { named } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { counted } from '../../ui/numbers.ts';
import { Paging } from '../../ui/paging.tsx';
import { shownPrice } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { listWords } from '../../ui/words.ts';
import { shown } from '../kit/answer.ts';
import { type Asked, list, type ShownRows } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { actorOf, type DashboardTools, orFail, page } from '../kit/page.ts';
import { type Owners, ownersOf } from '../kit/people.tsx';
import { addressWith, choicesIn, chosen } from '../kit/query.ts';
import { bundleWords } from './bundle-words.ts';
import { sellerPageWords } from './seller-page.tsx';
import {
  imagesOf,
  type ModerationTools,
  moderatedPath,
  OwnerLink,
  type ProductTools,
  SmallPicture,
  StateTag,
} from './subject.tsx';
import { termWords } from './term-words.ts';
import { moderation, words } from './words.ts';

const perPage = 25;
const states = [...productStatuses, 'archived'] as const;
const { columns } = words;

interface Found {
  readonly rows: readonly Product[];
  readonly next: string | null;
  readonly images: ReadonlyMap<number, string>;
}

interface FoundOfAll extends Found {
  readonly owners: Owners;
  /** Whether nobody has the e-mail address that was asked for. */
  readonly isOwnerUnknown: boolean;
}

const shared = { label: words.state, options: withAll(words.states) };

/** The products of the person who is signed in, also of administrators. */
export function ownProductList(tools: DashboardTools, { products, addresses }: ProductTools): Endpoint[] {
  return list(tools, {
    id: 'selling-products',
    place: { area: 'selling', at: 'products' },
    audience: 'user',
    reach: 'own',
    filters: { q: { label: words.search }, state: shared },
    find: (asked) => find({ products, addresses }, asked, asked.ownerId),
    none: { advice: listWords.noneAdvice },
    isFirstAlone: true,
    show({ rows, images }, { address, seller }): ShownRows {
      const add = (text: string) => <ButtonLink href={`${address}/new`} text={text} look="primary" />;
      return {
        actions: (
          <div class="choices">
            <ButtonLink href={`${address}/seller-page`} text={sellerPageWords.title} />
            <ButtonLink href={`${address}/new-bundle`} text={bundleWords.add} />
            {add(words.add)}
          </div>
        ),
        first: (
          <EmptyState heading="h2" icon="products" title={words.noneTitle}>
            <p>{seller.mode === 'live' ? words.none : words.noneTest}</p>
            <p class="actions">
              {add(words.first)}
              <ButtonLink href={`${address}?state=archived`} text={words.seeArchived} />
            </p>
          </EmptyState>
        ),
        table: <List label={words.list} columns={columnsOf(images, ({ id }) => `${address}/${id}`)} rows={rows} />,
      };
    },
  });
}

/** The products of all sellers. */
export function allProductList(tools: DashboardTools, own: ModerationTools): Endpoint[] {
  return list(tools, {
    id: 'admin-products',
    place: { area: 'admin', at: 'products' },
    audience: 'products:moderate',
    reach: 'all',
    filters: { q: { label: words.search }, owner: { label: moderation.all.owner }, state: shared },
    async find(asked): Promise<FoundOfAll> {
      const { owner } = asked.choices;
      const user = owner === '' ? undefined : await own.accounts.find(owner);
      if (user !== undefined && isRefused(user)) {
        return { rows: [], next: null, images: new Map(), owners: new Map(), isOwnerUnknown: true };
      }
      const found = await find(own, asked, user?.id);
      const owners = await ownersOf(
        own.accounts,
        found.rows.map(({ ownerId }) => ownerId),
      );
      return { ...found, owners, isOwnerUnknown: false };
    },
    none: ({ isOwnerUnknown }) => ({
      title: isOwnerUnknown ? moderation.all.unknownOwner : listWords.none,
      advice: listWords.noneAdvice,
    }),
    show({ rows, images, owners }, { root }): ShownRows {
      const [first, ...others] = columnsOf(images, (product) => `${root}${moderatedPath(product)}`);
      const columns = [...(first ? [first] : []), ownerColumn(root, owners), ...others];
      return { table: <List label={moderation.all.list} columns={columns} rows={rows} /> };
    },
  });
}

async function find(
  { products, addresses }: Pick<ProductTools, 'addresses'> & Pick<ModerationTools, 'products'>,
  { choices: { q, state }, after, seller }: Asked<'q' | 'state'>,
  ownerId: Asked<'q'>['ownerId'],
): Promise<Found> {
  const filter = { ownerId, search: q || undefined, state: chosen(state, states), after, limit: perPage };
  const { products: rows, next } = orFail(await products.list(filter, seller));
  return { rows, next, images: await imagesOf(rows, addresses) };
}

function columnsOf(
  images: ReadonlyMap<number, string>,
  addressOf: (product: Product) => string,
): readonly Column<Product>[] {
  return [
    {
      title: columns.product,
      cell: (product) => (
        <span class="with-picture">
          <SmallPicture product={product} image={images.get(product.id)} />
          <span>
            <a href={addressOf(product)} dir="auto" class="breakable">
              {product.title}
            </a>
            <small>{inShort(product)}</small>
          </span>
        </span>
      ),
    },
    { title: columns.state, isState: true, cell: (product) => <StateTag product={product} /> },
    { title: columns.price, isNumber: true, cell: (one) => shownPrice(one) },
    { title: columns.updated, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}

/** The version of a product and what its licenses allow, in a few words. A bundle has neither. */
function inShort({ version, terms: { maxDomains, duration }, bundle }: Product): string {
  if (bundle !== null) return bundleWords.inShort(bundle.length);
  return [
    version === null ? words.noZipShort : words.versionOf(version),
    termWords.domainsOf(maxDomains),
    duration === null ? words.forEverShort : counted(duration.days, 'day'),
  ].join(' · ');
}

function ownerColumn(root: string, owners: Owners): Column<Product> {
  return {
    title: moderation.all.ownerColumn,
    cell: ({ ownerId }) => <OwnerLink owner={ownerId === null ? undefined : owners.get(ownerId)} root={root} />,
  };
}

/** Nobody turns so many pages. */
const lastPage = 1_000;

/** The products that wait for approval, first come first served. Its pages have numbers, because it counts what waits. */
export function queuePage(tools: DashboardTools, own: ModerationTools): Endpoint {
  const { queue: words, modes } = moderation;
  return page(tools, {
    id: 'moderation',
    path: `/${areas.admin.moderation}`,
    audience: 'products:moderate',
    async show(visit) {
      const { frame } = visit;
      const { root } = frame;
      const { mode: wanted, page: text, decided: id } = choicesIn(visit, 'mode', 'page', 'decided');
      const mode = chosen(wanted, keyModes) ?? 'live';
      const number = /^\d{1,4}$/.test(text) ? Math.min(Math.max(1, Number(text)), lastPage) : 1;
      const filter = { status: 'pending', isLive: mode === 'live', isOldestFirst: true } as const;
      const { items, total } = orFail(await own.administration.list(filter, number, perPage, actorOf(visit)));
      const [owners, images, decided] = await Promise.all([
        ownersOf(
          own.accounts,
          items.map(({ ownerId }) => ownerId),
        ),
        imagesOf(items, own.addresses),
        id === '' ? undefined : own.administration.find(id, actorOf(visit)),
      ]);
      const address = `${root}${areas.admin.moderation}`;
      const pageAt = (at: number) =>
        addressWith(address, { mode: mode === 'live' ? '' : mode, page: at === 1 ? '' : String(at) });
      const shownColumns: readonly Column<Product>[] = [
        {
          title: columns.product,
          cell: (product) => (
            <span class="with-picture">
              <SmallPicture product={product} image={images.get(product.id)} />
              <a href={`${root}${moderatedPath(product)}`} dir="auto" class="breakable">
                {product.title}
              </a>
            </span>
          ),
        },
        ownerColumn(root, owners),
        { title: columns.price, isNumber: true, cell: (one) => shownPrice(one) },
        { title: words.submitted, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ];
      return shown(
        <AreaPage
          frame={frame}
          place={{ area: 'admin', at: 'moderation' }}
          actions={<ButtonLink href={`${address}/reviews`} text={moderation.toReviews} />}
        >
          {decided === undefined || isRefused(decided) || (
            <WaysOn
              page={isPublic(decided) ? own.addresses.product(decided) : undefined}
              next={items[0] && `${root}${moderatedPath(items[0])}`}
            />
          )}
          <Filter isActive={mode === 'test'} clear={address}>
            <FilterSelect name="mode" label={words.mode} value={mode} options={named(keyModes, modes)} />
          </Filter>
          {total === 0 ? (
            <EmptyState heading="h2" icon="moderation" title={words.none}>
              <p>{words.noneAdvice}</p>
              <p class="actions">
                <ButtonLink href={`${root}${areas.admin.products}`} text={words.all} />
              </p>
            </EmptyState>
          ) : (
            <>
              <p class="intro">{words.lead(total)}</p>
              {items.length > 0 && <List label={words.list} columns={shownColumns} rows={items} />}
            </>
          )}
          <Paging
            label={words.pages}
            back={number === 1 ? undefined : { href: pageAt(number - 1), title: words.before }}
            on={number * perPage < total ? { href: pageAt(number + 1), title: listWords.more } : undefined}
          />
        </AreaPage>,
      );
    },
  });
}

/** Links after a decision: to the page that buyers see now, and to the product that waits longest. */
function WaysOn({
  page,
  next,
}: {
  readonly page: string | undefined;
  readonly next: string | undefined;
}): VNode | null {
  if (page === undefined && next === undefined) return null;
  return (
    <p class="choices">
      {next !== undefined && <ButtonLink href={next} text={moderation.queue.next} look="primary" />}
      {page !== undefined && <ButtonLink href={page} text={words.seePublic} />}
    </p>
  );
}
