import type { VNode } from 'preact';
import { z } from 'zod';
import { isValidAt } from '../../../../core/purchases/coupon.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { ShownCoupon } from '../../../../core/selling/coupons.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Fact, Facts, List, typed } from '../../ui/list.tsx';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { firstDay, lastDay, Time } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { couponList } from './list.tsx';
import { newCouponPages } from './new.tsx';
import { CouponTag, type CouponTools, couponSubject, offOf } from './subject.tsx';
import { words } from './words.ts';

/** The pages of sellers about their coupons. If two paths match a request, the first one answers it. */
export function couponPages(tools: DashboardTools, own: CouponTools): Endpoint[] {
  const coupon = couponSubject(own);
  return [
    ...couponList(tools, own),
    ...newCouponPages(tools, own),
    couponPage(tools, coupon, own),
    ...act(tools, coupon, {
      id: 'end-coupon',
      name: 'end',
      fields: z.object({}),
      ask: () => ({ title: words.endTitle, lead: words.endLead, submit: words.end, isDangerous: true }),
      work: ({ one, visit }) => own.coupons.end(String(one.coupon.id), sellerIn(visit)),
      notice: 'coupon_ended',
      refusals: {},
    }),
  ];
}

const perPage = 25;

/** One coupon: its terms, its links and the orders that use it. */
function couponPage(tools: DashboardTools, subject: Subject<ShownCoupon>, { coupons, baseUrl }: CouponTools): Endpoint {
  return subjectPage(tools, subject, {
    id: 'selling-coupon',
    async show({ visit, one, root, address }) {
      const { coupon, state } = one;
      const query = { after: visit.query.after || undefined, limit: perPage };
      const { orders, next } = orFail(await coupons.ordersWith(String(coupon.id), query, sellerIn(visit)));
      return {
        tags: <CouponTag state={state} />,
        scripts: ['copy.js'],
        actions: coupon.endedAt === null && <ButtonLink href={`${address}/end`} text={words.end} look="danger" />,
        children: (
          <>
            <section class="panel">
              <h2>{words.facts}</h2>
              <Facts facts={factsOf(one)} />
            </section>
            {isValidAt({ ...coupon, startsAt: null }, tools.clock.now()) && <Links one={one} baseUrl={baseUrl} />}
            <section>
              <PartHead title={words.ordersTitle} />
              {orders.length === 0 ? (
                <p>{words.noOrders}</p>
              ) : (
                <OrdersWith orders={orders} path={`${root}${sellingPath(visit, 'orders')}`} />
              )}
              <Paging
                label={words.ordersTitle}
                back={undefined}
                on={next === null ? undefined : { href: `${address}?after=${next}`, title: words.earlier }}
              />
            </section>
          </>
        ),
      };
    },
  });
}

function factsOf({ coupon, targets, ownersOf }: ShownCoupon): (Fact | false)[] {
  const { startsAt, endsAt, mostPerBuyer, createdAt, endedAt, sellerId } = coupon;
  const named = targets.flatMap(({ product, offer }) =>
    product === undefined ? [] : [offer === null ? product.title : words.forOffer(product.title, offer)],
  );
  return [
    [words.columns.off, offOf(coupon)],
    [words.for, named.length === 0 ? words.allProducts : typed(named.join(', '))],
    sellerId === null && [words.site, words.siteFact],
    [words.subscriptions, words.paymentsOf(coupon.payments)],
    [words.uses, words.usesOf(coupon.uses, coupon.mostUses)],
    mostPerBuyer !== null && [words.perBuyer, words.perBuyerOf(mostPerBuyer)],
    ownersOf !== undefined && [words.owners, typed(ownersOf.title)],
    startsAt !== null && [words.from, firstDay(startsAt)],
    endsAt !== null && [words.until, lastDay(endsAt)],
    [words.made, <Time key="made" at={createdAt} />],
    endedAt !== null && [words.endedAt, <Time key="ended" at={endedAt} />],
  ];
}

/** The addresses that fill in the code. */
function Links({ one, baseUrl }: { readonly one: ShownCoupon; readonly baseUrl: string }): VNode {
  const { code } = one.coupon;
  const links = one.targets.flatMap(({ product, offer }) => {
    if (product === undefined) return [];
    const query = new URLSearchParams({ ...(offer !== null && { offer }), coupon: code });
    return [`${baseUrl}/marketplace/${product.slug}/buy?${query}`];
  });
  return (
    <section>
      <PartHead title={words.links} lead={words.linksLead} />
      {links.length === 0 && <p>{words.linkHint}</p>}
      {(links.length === 0 ? [`?coupon=${code}`] : links).map((link, n) => (
        <p key={link} class="breakable">
          <CopiedText id={`link-${n}`} text={link} />
        </p>
      ))}
    </section>
  );
}

function OrdersWith({ orders, path }: { readonly orders: readonly Order[]; readonly path: string }): VNode {
  return (
    <List
      label={words.ordersTitle}
      columns={[
        { title: words.order, cell: ({ id }) => <a href={`${path}/${id}`}>{String(id)}</a> },
        { title: words.buyer, cell: ({ buyer }) => <span class="breakable">{buyer.email}</span> },
        {
          title: words.taken,
          isNumber: true,
          cell: ({ agreed }) => moneyOf(agreed.discount?.amount ?? 0, agreed.currency),
        },
        { title: words.date, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
      rows={orders}
    />
  );
}
