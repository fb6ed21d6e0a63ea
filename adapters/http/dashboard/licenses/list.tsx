import { licenseStatuses, plainTransitions } from '../../../../core/licensing/license.ts';
import { licenseOrders } from '../../../../core/ports/license-search.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { LicenseWish } from '../../../../core/selling/finding.ts';
import { formatLicensePlace, parseLicensePlace } from '../../../../core/selling/license-place.ts';
import type { SoldLicense } from '../../../../core/selling/sold-license.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState, NoRows } from '../../ui/empty-state.tsx';
import type { Options } from '../../ui/form.tsx';
import { html } from '../../ui/html.ts';
import type { Column } from '../../ui/list.tsx';
import { type Asked, list, type ShownRows } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { chosen, startOf } from '../kit/query.ts';
import { withOwnProducts } from '../kit/selling.tsx';
import { bulkPages, ofFilter } from './bulk.tsx';
import { words as importing } from './import-words.ts';
import { LicenseTable, type LicenseTools } from './subject.tsx';
import { words } from './words.ts';

const perPage = 50;

interface Found {
  readonly rows: readonly SoldLicense[];
  readonly next: string | null;
  /** The choices of the filter by product. Without them, the product is typed. */
  readonly products?: Options | undefined;
  readonly owners?: Owners;
}

const filters = {
  q: { label: words.search },
  product: { label: words.product, options: ({ products }: Found) => products, typed: words.productSlug },
  status: { label: words.status, options: withAll(words.statuses) },
  expires_before: { label: words.expiresBefore, isDate: true },
  sort: { label: words.sort, options: Object.entries(words.sorts) },
};
type Wanted = Asked<keyof typeof filters>;

/** The pages that act on the selected licenses of the reader's own list. */
export const licenseBulkPages = (tools: DashboardTools, own: LicenseTools): Endpoint[] =>
  bulkPages(tools, own, wishFor);

/** Two lists: the reader's own (also for administrators), and those of all sellers. */
export function licenseLists(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  const { listedLicenses, products, accounts, sheets } = selling;
  const shared = { filters, none: { advice: words.noneFoundAdvice, soFar: words.soFar } };
  const find = async (asked: Wanted) => {
    const found = orFail(await listedLicenses.list({ ...wishOf(asked), ownerId: asked.ownerId }, asked.seller));
    return { rows: found.licenses, next: found.next && formatLicensePlace(found.next) };
  };
  return [
    ...list(tools, {
      ...shared,
      id: 'admin-licenses',
      place: { area: 'admin', at: 'licenses' },
      audience: 'licenses:manage',
      reach: 'all',
      scripts: ['copy.js'],
      async find(asked): Promise<Found> {
        const found = await find(asked);
        const owners = await ownersOf(
          accounts,
          found.rows.map(({ license }) => license.ownerId),
        );
        return { ...found, owners };
      },
      show: showAll,
    }),
    ...list(tools, {
      ...shared,
      id: 'selling-licenses',
      place: { area: 'selling', at: 'licenses' },
      audience: 'user',
      reach: 'own',
      scripts: ['copy.js', 'select-all.js'],
      find: (asked): Promise<Found> => withOwnProducts(products, asked, find(asked)),
      show: showOwn,
      csv: {
        filename: 'licenses.csv',
        filters: ['product', 'status', 'expires_before'],
        write(asked) {
          const { product, status, expiresBefore } = wishOf(asked);
          return sheets.export({ product, status, expiresBefore, ownerId: asked.ownerId }, asked.seller);
        },
      },
    }),
  ];
}

/** Returns the query that the address describes. Throws `not_found` if its `after` is not a valid place. */
function wishOf({ choices, after }: Pick<Wanted, 'choices' | 'after'>): LicenseWish {
  const place = after === undefined ? undefined : parseLicensePlace(after);
  if (isRefused(place)) throw new Failure('not_found');
  return { ...wishFor(choices), after: place, limit: perPage };
}

function wishFor({ q, product, status = '', expires_before = '', sort = '' }: Readonly<Record<string, string>>) {
  return {
    search: q || undefined,
    product: product || undefined,
    status: chosen(status, licenseStatuses),
    expiresBefore: startOf(expires_before),
    order: chosen(sort, licenseOrders),
  };
}

function showAll({ rows, owners = new Map() }: Found, { root, address }: Wanted): ShownRows {
  const owner: Column<SoldLicense> = {
    title: words.owner,
    cell: ({ license }) => ownerLink(root, license.ownerId, owners),
  };
  return {
    table: <LicenseTable root={root} licenses={rows} after={[owner]} />,
    first: <NoRows icon="licenses" title={words.noneAtAll} advice={words.noneAtAllAdvice} href={address} />,
  };
}

function showOwn({ rows, next }: Found, { root, address, seller, choices, after }: Wanted): ShownRows {
  const isWhole = next === null && after === undefined;
  const issue = <ButtonLink href={`${address}/new`} text={words.issue} look="primary" />;
  return {
    actions: (
      <>
        {issue}
        <ButtonLink href={`${address}/import`} text={importing.name} />
      </>
    ),
    first: (
      <EmptyState heading="h2" icon="licenses" title={words.noneTitle}>
        <p>{seller.mode === 'live' ? words.none : words.noneTest}</p>
        <p>{issue}</p>
        <p>
          <a href={`${address}/import`}>{importing.title}</a>
        </p>
      </EmptyState>
    ),
    table: (
      <form method="post" action={`${address}/bulk/ask`}>
        {Object.entries(choices).map(([name, value]) => (
          <input key={name} type="hidden" name={`${ofFilter}${name}`} value={value} />
        ))}
        <LicenseTable root={root} licenses={rows} before={[selection]} />
        <p class="bulk">
          <label class="choice">
            <input type="checkbox" name="all" value="yes" />
            <span>{isWhole ? words.bulk.all(rows.length) : words.bulk.allThatMatch}</span>
          </label>
          <output data-selected={words.bulk.selectedNow} />
          <span class="faint bulk-lead">{words.bulk.lead}</span>
          {plainTransitions.map((one) => (
            <button
              key={one}
              type="submit"
              name="action"
              value={one}
              class={one === 'revoke' ? 'button small danger' : 'button small'}
            >
              {words.acts[one].name}
            </button>
          ))}
        </p>
      </form>
    ),
  };
}

const selection: Column<SoldLicense> = {
  title: words.bulk.select,
  isTitleUnseen: true,
  // Without script it would do nothing, so the script shows it.
  head: <input type="checkbox" hidden data-select-all="key" aria-label={words.bulk.selectAll} />,
  cell: ({ license: { key } }) =>
    html`<input type="checkbox" name="key" value="${key}" aria-label="${words.bulk.selectOne(key)}"/>`,
};
