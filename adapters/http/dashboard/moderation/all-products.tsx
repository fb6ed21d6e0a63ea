import type { VNode } from 'preact';
import { keyModes } from '../../../../core/accounts/api-key.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { UserId } from '../../../../core/id.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { OwnProducts } from '../../../../core/selling/products.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { Filter, FilterSelect, FilterText } from '../../ui/filter.tsx';
import { List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { shown } from '../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../filtered-list.tsx';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { type Choices, choicesIn, chosen } from '../query.ts';
import { imagesOf } from '../selling/products/images.ts';
import { productColumns, productStates } from '../selling/products/product-list.tsx';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit } from '../visit.ts';
import { allProducts, type ModerationTools, ownersOf, pathOf } from './moderation-tools.ts';
import { OwnerLink } from './owner-link.tsx';

const { all: words, modes } = texts.moderation;
const { sellingProducts } = texts;
const perPage = 25;

interface Found extends OwnProducts {
  /** Whether nobody has the e-mail address that was asked for. */
  readonly isOwnerUnknown?: boolean;
}

/** The products of all sellers. */
export function allProductsPage(tools: DashboardTools, own: ModerationTools): Endpoint {
  return page(tools, {
    id: 'admin-products',
    path: `/${allProducts}`,
    audience: 'products:moderate',
    async show(visit) {
      const choices = choicesIn(visit, 'q', 'state', 'mode', 'owner');
      const { after = '' } = visit.query;
      const found = await find(own, visit, choices, after);
      const [owners, images] = await Promise.all([
        ownersOf(found.products, own),
        imagesOf(found.products, own.addresses),
      ]);
      return shown(
        <AllProducts
          visit={visit}
          choices={choices}
          found={found}
          owners={owners}
          images={images}
          isFirst={after === ''}
        />,
      );
    },
  });
}

async function find(
  { products, accounts }: ModerationTools,
  visit: SignedInVisit,
  { q, state, mode, owner }: Readonly<Record<'q' | 'state' | 'mode' | 'owner', string>>,
  after: string,
): Promise<Found> {
  const user = owner === '' ? undefined : await accounts.find(owner);
  if (user !== undefined && isRefused(user)) return { products: [], next: null, isOwnerUnknown: true };
  const filter = {
    ownerId: user?.id,
    search: q || undefined,
    state: chosen(state, productStates),
    after: after || undefined,
    limit: perPage,
  };
  return orFail(await products.list(filter, { actor: actorOf(visit), mode: chosen(mode, keyModes) ?? 'live' }));
}

function AllProducts({
  visit: { frame },
  choices,
  found: { products, next, isOwnerUnknown = false },
  owners,
  images,
  isFirst,
}: {
  readonly visit: SignedInVisit;
  readonly choices: Choices;
  readonly found: Found;
  readonly owners: ReadonlyMap<UserId, User>;
  readonly images: ReadonlyMap<number, string>;
  readonly isFirst: boolean;
}): VNode {
  const { root } = frame;
  const address = `${root}${allProducts}`;
  const { q = '', state = '', mode = '', owner = '' } = choices;
  const isActive = [q, state, owner].some((text) => text !== '') || mode === 'test';
  const [first, ...others] = productColumns(images, (product) => `${root}${pathOf(product)}`);
  const columns = [
    ...(first ? [first] : []),
    {
      title: words.ownerColumn,
      cell: ({ ownerId }: { readonly ownerId: UserId | null }) => (
        <OwnerLink owner={ownerId === null ? undefined : owners.get(ownerId)} root={root} />
      ),
    },
    ...others,
  ];
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'products' }} title={words.title}>
      <Filter isActive={isActive} clear={address}>
        <FilterText name="q" label={sellingProducts.search} value={q} />
        <FilterText name="owner" label={words.owner} value={owner} />
        <FilterSelect
          name="state"
          label={sellingProducts.state}
          value={state}
          options={withAll(sellingProducts.states)}
        />
        <FilterSelect
          name="mode"
          label={texts.moderation.queue.mode}
          value={mode}
          options={keyModes.map((one) => [one, modes[one]])}
        />
      </Filter>
      {products.length === 0 ? (
        <NoRows
          title={isOwnerUnknown ? words.unknownOwner : texts.list.none}
          advice={texts.list.noneAdvice}
          href={address}
        />
      ) : (
        <List label={words.list} columns={columns} rows={products} keyOf={({ id }) => id} />
      )}
      <FilteredPaging
        label={sellingProducts.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
    </AreaPage>
  );
}
