import type { VNode } from 'preact';
import { z } from 'zod';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import type { ClaimOfOrder } from '../../../../core/ports/usdc-claims.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { type ClaimVerdict, claimStates, type UsdcClaim } from '../../../../core/usdc/claim.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { cent } from '../../../../core/usdc/usdc-quote.ts';
import type { Endpoint } from '../../surface.ts';
import { areas, entryOf, placeName, placePath } from '../../ui/area-page.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { AreaField } from '../../ui/form.tsx';
import { List } from '../../ui/list.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { type Asked, act } from '../kit/act.tsx';
import { required } from '../kit/fields.ts';
import { type ListPage, list } from '../kit/list.tsx';
import { type Rows, withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { chosen } from '../kit/query.ts';
import { modeIn, sellerIn } from '../kit/selling.tsx';
import { NotNow, type Subject, type SubjectVisit, subjectPage } from '../kit/subject-page.tsx';
import { ClaimTag } from '../wallets/claims.tsx';
import { words as walletWords } from '../wallets/words.ts';
import { showClaim } from './claim-part.tsx';
import { claimWords as words } from './claim-words.ts';
import { type OrderTools, orderPath } from './subject.tsx';
import { words as orderWords } from './words.ts';

const perPage = 50;
const noRows = { icon: 'orders', title: words.noneTitle } as const;
const filters = { state: { label: words.state, options: withAll(words.states) } };

interface Found extends Rows {
  readonly rows: readonly ClaimOfOrder[];
  /** The sellers, in the list of all. */
  readonly owners: Owners | undefined;
}

/** The payments that buyers have claimed: the reader's own and those of all sellers, and one with its acts. */
export function claimPages(tools: DashboardTools, own: OrderTools): Endpoint[] {
  const { claims } = own;
  const claim = claimSubject(own);
  const shared = {
    below: 'claims',
    title: words.title,
    filters,
    none: { advice: words.noneFoundAdvice },
    async find({ choices: { state }, after, ownerId, seller }): Promise<Found> {
      const query = { state: chosen(state, claimStates), sellerId: ownerId, after, limit: perPage };
      const { items, next } = orFail(await claims.list(query, seller));
      const sellers = items.map(({ order }) => order.sellerId);
      return { rows: items, next, owners: ownerId === undefined ? await ownersOf(own.accounts, sellers) : undefined };
    },
    show: ({ rows, owners }, { root, ownerId, seller: { mode } }) => ({
      above: <p class="intro">{words.listLead}</p>,
      table: <ClaimList rows={rows} owners={owners} root={root} />,
      first:
        ownerId === undefined ? (
          <NoRows
            {...noRows}
            advice={words.noneOfAll}
            href={`${root}${placePath({ area: 'admin', at: 'orders' })}`}
            action={placeName({ area: 'admin', at: 'orders' })}
          />
        ) : (
          <NoRows
            {...noRows}
            advice={words.none}
            href={`${root}${placePath({ area: 'selling', at: 'orders' }, mode)}/wallets`}
            action={walletWords.title}
          />
        ),
    }),
  } as const satisfies Partial<ListPage<keyof typeof filters, Found>>;
  return [
    ...list(tools, {
      ...shared,
      id: 'admin-claims',
      place: { area: 'admin', at: 'orders' },
      audience: 'purchases:manage',
      reach: 'all',
    }),
    ...list(tools, {
      ...shared,
      id: 'selling-claims',
      place: { area: 'selling', at: 'orders' },
      audience: 'user',
      reach: 'own',
    }),
    subjectPage(tools, claim, { id: 'selling-claim', show: (at) => showClaim(own, at) }),
    ...decision(tools, own, claim, {
      name: 'take',
      fields: z.object({}),
      ask: async ({ one: { claim, order } }) => ({
        title: words.take.title,
        lead: `${words.take.lead(readableUsdc(claim.amount), order.id)} ${effectOf(claim, await own.usdc.show(order))}`,
        submit: words.take.submit,
      }),
      verdictOf: () => ({ kind: 'take' }),
      notice: 'claim_taken',
    }),
    ...decision(tools, own, claim, {
      name: 'reject',
      fields: z.object({ reason: required(longestReason, words.reject.noReason) }),
      ask: () => ({
        title: words.reject.title,
        lead: words.reject.lead,
        fields: <AreaField name="reason" label={words.reject.reason} hint={words.reject.reasonHint} rows={3} />,
        submit: words.reject.submit,
        isDangerous: true,
      }),
      verdictOf: ({ reason }) => ({ kind: 'reject', reason }),
      notice: 'claim_rejected',
    }),
  ];
}

function claimSubject({ claims }: OrderTools): Subject<ClaimOfOrder> {
  return {
    path: `/${areas.selling.orders}/claims/:id`,
    audience: 'user',
    find: async (visit) => orFail(await claims.find(visit.params.id ?? '', sellerIn(visit))),
    about({ claim, order }, visit) {
      const mode = modeIn(visit);
      const area = order.sellerId === visit.me.login.id ? 'selling' : 'admin';
      const place = { area, at: 'orders' } as const;
      const above = entryOf(place, mode);
      return {
        name: words.nameOf(claim.id),
        path: claimPath(claim.id, order),
        place,
        mode,
        above: [above, { path: `${above.path}/claims`, title: words.title }],
      };
    },
  };
}

/** The path of a claim from the site's first page. */
export function claimPath(id: number, { isLive }: Pick<Order, 'isLive'>): string {
  return `${areas.selling.orders.replace(':mode', isLive ? 'live' : 'test')}/claims/${id}`;
}

function ClaimList({ rows, owners, root }: Pick<Found, 'rows' | 'owners'> & { readonly root: string }): VNode {
  const { columns } = words;
  return (
    <List
      label={words.list}
      rows={rows}
      columns={[
        {
          title: columns.claim,
          cell: ({ claim, order }) => (
            <a href={`${root}${claimPath(claim.id, order)}`} class="whole">
              {words.nameOf(claim.id)}
            </a>
          ),
        },
        {
          title: columns.state,
          isState: true,
          cell: ({ claim: { state } }) => <ClaimTag state={state} names={words.states} />,
        },
        { title: columns.amount, isNumber: true, cell: ({ claim }) => readableUsdc(claim.amount) },
        {
          title: columns.order,
          cell: ({ order }) => (
            <>
              <a href={`${root}${orderPath(order)}`} class="whole">
                {orderWords.nameOf(order.id)}
              </a>
              <span class="under" dir="auto" title={order.agreed.title}>
                {order.agreed.title}
              </span>
            </>
          ),
        },
        ...(owners
          ? [
              {
                title: orderWords.columns.seller,
                cell: ({ order }: ClaimOfOrder) => ownerLink(root, order.sellerId, owners),
              },
            ]
          : []),
        {
          title: columns.at,
          cell: ({ claim }) => (
            <>
              <Time at={claim.sentAt} />
              <span class="under">
                <ExplorerLink chainId={claim.chainId} about="tx" what={claim.txHash} />
              </span>
            </>
          ),
        },
      ]}
    />
  );
}

/** Says what happens with the order if a claim of it is taken. */
function effectOf({ amount }: UsdcClaim, usdc: UsdcPayment | undefined): string {
  const { take } = words;
  const rest = usdc?.rest ?? 0;
  if (rest === 0) return `${take.isMore} ${take.stays}`;
  const over = amount - rest;
  if (over < -cent) return `${take.isLess(readableUsdc(-over))} ${take.stays}`;
  return [take.isEnough, over > cent && take.isTooMuch(readableUsdc(over)), take.stays].filter(Boolean).join(' ');
}

/** An act that decides. The use case refuses a second decision. */
function decision<Fields>(
  tools: DashboardTools,
  { claims }: OrderTools,
  subject: Subject<ClaimOfOrder>,
  {
    name,
    fields,
    ask,
    verdictOf,
    notice,
  }: {
    readonly name: ClaimVerdict['kind'];
    readonly fields: z.ZodType<Fields>;
    ask(at: SubjectVisit<ClaimOfOrder>): Asked | Promise<Asked>;
    verdictOf(fields: Fields): ClaimVerdict;
    readonly notice: 'claim_taken' | 'claim_rejected';
  },
): Endpoint[] {
  return act(tools, subject, {
    id: `selling-claim-${name}`,
    name,
    fields,
    // The license is issued with it.
    isSensitive: name === 'take',
    ask: async (at) =>
      at.one.claim.state === 'open'
        ? ask(at)
        : { title: words[name].title, instead: <NotNow why={words.decided} back={at.address} name={words.toClaim} /> },
    work: async ({ one, visit, fields }) =>
      await claims.decide(String(one.claim.id), verdictOf(fields), sellerIn(visit)),
    notice,
    refusals: { claim_decided: { text: words.decided }, transaction_counted: { text: words.counted } },
  });
}
