import type { VNode } from 'preact';
import { z } from 'zod';
import { licenseStatuses, type PlainTransition, plainTransitions } from '../../../../core/licensing/license.ts';
import { parseLicenseKey } from '../../../../core/licensing/license-key.ts';
import { licenseOrders } from '../../../../core/ports/license-search.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { type BulkResult, mostInBulk } from '../../../../core/selling/bulk.ts';
import type { LicenseWish } from '../../../../core/selling/finding.ts';
import { formatLicensePlace, parseLicensePlace } from '../../../../core/selling/license-place.ts';
import type { SoldLicense } from '../../../../core/selling/sold-license.ts';
import { clientGone } from '../../client-gone.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState, NoRows } from '../../ui/empty-state.tsx';
import { Form, HiddenField, type Options } from '../../ui/form.tsx';
import { choicesOf, type FormState, textOf } from '../../ui/form-state.ts';
import { type Column, List } from '../../ui/list.tsx';
import { shown } from '../kit/answer.ts';
import { oneOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type Asked, list, type ShownRows } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { chosen, startOf } from '../kit/query.ts';
import { SellingPage, sellerIn, sellingPath, withOwnProducts } from '../kit/selling.tsx';
import { ReasonField, reason } from './fields.tsx';
import { words as importing } from './import-words.ts';
import { LicenseTable, type LicenseTools, StatusTag } from './subject.tsx';
import { words } from './words.ts';

const perPage = 50;

interface Found {
  readonly rows: readonly SoldLicense[];
  readonly next: string | undefined;
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

/** Two lists: the reader's own (also for administrators), and those of all sellers. */
export function licenseLists(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  const { licenses, products, accounts, sheets } = selling;
  const shared = { title: words.title, filters, none: { advice: words.noneFoundAdvice, soFar: words.soFar } };
  const find = async (asked: Wanted) => {
    const found = orFail(await licenses.list({ ...wishOf(asked), ownerId: asked.ownerId }, asked.seller));
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
function wishOf({ choices: { q, product, status, expires_before, sort }, after }: Wanted): LicenseWish {
  const place = after === undefined ? undefined : parseLicensePlace(after);
  if (isRefused(place)) throw new Failure('not_found');
  return {
    search: q || undefined,
    product: product || undefined,
    status: chosen(status, licenseStatuses),
    expiresBefore: startOf(expires_before),
    order: chosen(sort, licenseOrders),
    after: place,
    limit: perPage,
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

function showOwn({ rows }: Found, { root, address, seller }: Wanted): ShownRows {
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
      <form method="get" action={`${address}/bulk`}>
        <LicenseTable root={root} licenses={rows} before={[selection]} />
        <p class="bulk">
          <button type="button" class="button small" hidden data-select-all="key">
            {words.bulk.selectAll}
          </button>
          <span class="faint">{words.bulk.lead}</span>
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
  cell: ({ license: { key } }) => (
    <input type="checkbox" name="key" value={key} aria-label={words.bulk.selectOne(key)} />
  ),
};

const { bulk } = words;

const keys = z.preprocess(
  (value) => [value ?? []].flat(),
  z.array(z.string()).min(1, bulk.none).max(mostInBulk, bulk.tooMany(mostInBulk)),
);

/** Acts on the selected licenses of the list: asks first, then shows the result for each license. */
export function bulkPages(tools: DashboardTools, { licenses }: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-licenses-bulk',
    path: '/selling/:mode/licenses/bulk',
    audience: 'user',
    fields: z.object({ action: oneOf(plainTransitions, bulk.noAction), key: keys, reason }),
    initial: ({ ctx, query }) => ({ action: query.action ?? '', key: [ctx.query.key ?? []].flat() }),
    render: (visit, state) => <BulkPage visit={visit} state={state} />,
    async act(visit, { action, key, reason }) {
      const results = await licenses.bulk(action, key, sellerIn(visit, reason), clientGone(visit.ctx.req.socket));
      return shown(resultPage(visit, action, results));
    },
    refusals: {},
  });
}

function BulkPage({ visit, state }: { readonly visit: SignedInVisit; readonly state: FormState }): VNode {
  const action = chosen<PlainTransition>(textOf(state, 'action'), plainTransitions);
  if (action === undefined) throw new Failure('not_found');
  const selected = [...new Set(choicesOf(state, 'key'))];
  const { name, effect } = words.acts[action];
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      isBelow
      title={selected.length === 0 ? bulk.noneTitle : bulk.title(name, selected.length)}
    >
      {selected.length === 0 ? (
        <EmptyState heading="h2" title={bulk.none}>
          <p>{bulk.noneAdvice}</p>
          <p>
            <ButtonLink href={list} text={bulk.back} />
          </p>
        </EmptyState>
      ) : (
        <>
          <p class="intro">{effect}</p>
          <details class="more" open={selected.length <= 10}>
            <summary>{bulk.selected(selected.length)}</summary>
            <ul class="keys">
              {selected.map((key) => (
                <li key={key}>
                  <code>{key}</code>
                </li>
              ))}
            </ul>
          </details>
          <Form
            state={state}
            submit={bulk.submit(name, selected.length)}
            cancel={list}
            isDangerous={action !== 'reinstate'}
          >
            <HiddenField name="action" value={action} />
            {selected.map((key) => (
              <HiddenField key={key} name="key" value={key} />
            ))}
            <ReasonField />
          </Form>
        </>
      )}
    </SellingPage>
  );
}

function resultPage(visit: SignedInVisit, action: PlainTransition, results: readonly BulkResult[]): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  const done = results.filter(({ result }) => !isRefused(result)).length;
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={bulk.done(words.acts[action].done, done, results.length)}>
      {done < results.length && <p class="note">{bulk.notAll(results.length - done)}</p>}
      <List
        label={bulk.results}
        rows={results}
        keyOf={({ key }) => key}
        columns={[
          { title: words.key, cell: ({ key }) => <KeyLink key={key} list={list} text={key} /> },
          { title: bulk.result, cell: ({ result }) => <Result result={result} /> },
        ]}
      />
      <p class="choices">
        <ButtonLink href={list} text={bulk.back} look="primary" />
      </p>
    </SellingPage>
  );
}

function Result({ result }: { readonly result: BulkResult['result'] }): VNode {
  if (!isRefused(result)) return <StatusTag status={result.status} />;
  return <span class="fault">{result.detail ?? bulk.refusals[result.reason]}</span>;
}

/** A text that is no key leads nowhere. */
function KeyLink({ list, text }: { readonly list: string; readonly text: string }): VNode {
  const key = parseLicenseKey(text);
  if (key === undefined) return <span class="breakable">{text}</span>;
  return (
    <a href={`${list}/${key}`}>
      <code class="whole">{key}</code>
    </a>
  );
}
