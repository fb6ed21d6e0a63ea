import type { VNode } from 'preact';
import { keyModes } from '../../../../core/accounts/api-key.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { UserId } from '../../../../core/id.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Page } from '../../../../core/ports/product-store.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Filter, FilterSelect } from '../../ui/filter.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { Paging } from '../../ui/paging.tsx';
import { priceOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { addressWith, choicesIn, chosen } from '../query.ts';
import { imagesOf } from '../selling/products/images.ts';
import { Picture } from '../selling/products/product-tags.tsx';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit } from '../visit.ts';
import { allProducts, type ModerationTools, ownersOf, pathOf, queue } from './moderation-tools.ts';
import { OwnerLink } from './owner-link.tsx';

const { queue: words, modes } = texts.moderation;
const perPage = 25;
/** Nobody turns so many pages. */
const lastPage = 1_000;

/** The products that wait for approval, first come first served. */
export function queuePage(tools: DashboardTools, own: ModerationTools): Endpoint {
  return page(tools, {
    id: 'moderation',
    path: `/${queue}`,
    audience: 'products:moderate',
    async show(visit) {
      const { mode: wanted, page: text } = choicesIn(visit, 'mode', 'page');
      const mode = chosen(wanted, keyModes) ?? 'live';
      const number = /^\d{1,4}$/.test(text) ? Math.min(Math.max(1, Number(text)), lastPage) : 1;
      const filter = { status: 'pending', isLive: mode === 'live', isOldestFirst: true } as const;
      const found = orFail(await own.administration.list(filter, number, perPage, actorOf(visit)));
      const [owners, images] = await Promise.all([ownersOf(found.items, own), imagesOf(found.items, own.addresses)]);
      return shown(<Queue visit={visit} found={found} mode={mode} number={number} owners={owners} images={images} />);
    },
  });
}

function Queue({
  visit: { frame },
  found: { items, total },
  mode,
  number,
  owners,
  images,
}: {
  readonly visit: SignedInVisit;
  readonly found: Page<Product>;
  readonly mode: (typeof keyModes)[number];
  readonly number: number;
  readonly owners: ReadonlyMap<UserId, User>;
  readonly images: ReadonlyMap<number, string>;
}): VNode {
  const { root } = frame;
  const address = `${root}${queue}`;
  const pageAt = (at: number) =>
    addressWith(address, { mode: mode === 'live' ? '' : mode, page: at === 1 ? '' : String(at) });
  const { columns } = texts.sellingProducts;
  const list: readonly Column<Product>[] = [
    {
      title: columns.product,
      cell: (product) => (
        <span class="with-picture">
          <Picture product={product} image={images.get(product.id)} />
          <a href={`${root}${pathOf(product)}`} dir="auto" class="breakable">
            {product.title}
          </a>
        </span>
      ),
    },
    {
      title: texts.moderation.all.ownerColumn,
      cell: ({ ownerId }) => <OwnerLink owner={ownerId === null ? undefined : owners.get(ownerId)} root={root} />,
    },
    { title: columns.price, isNumber: true, cell: ({ price }) => priceOf(price) },
    { title: words.submitted, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'moderation' }} title={words.title}>
      <Filter isActive={mode === 'test'} clear={address}>
        <FilterSelect name="mode" label={words.mode} value={mode} options={keyModes.map((one) => [one, modes[one]])} />
      </Filter>
      {total === 0 ? (
        <EmptyState heading="h2" title={words.none}>
          <p>{words.noneAdvice}</p>
          <p class="actions">
            <a class="button" href={`${root}${allProducts}`}>
              {words.all}
            </a>
          </p>
        </EmptyState>
      ) : (
        <>
          <p class="intro">{words.lead(total)}</p>
          {items.length > 0 && <List label={words.list} columns={list} rows={items} keyOf={({ id }) => id} />}
        </>
      )}
      <Paging
        label={words.pages}
        back={number === 1 ? undefined : { href: pageAt(number - 1), title: words.before }}
        on={number * perPage < total ? { href: pageAt(number + 1), title: texts.list.more } : undefined}
      />
    </AreaPage>
  );
}
