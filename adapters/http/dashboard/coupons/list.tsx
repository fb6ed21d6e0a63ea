import type { ComponentChildren } from 'preact';
import type { ShownCoupon } from '../../../../core/selling/coupons.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { lastDay, timeOr } from '../../ui/time.tsx';
import { listWords } from '../../ui/words.ts';
import { list } from '../kit/list.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { CouponTag, type CouponTools, offOf } from './subject.tsx';
import { words } from './words.ts';

const perPage = 50;

/** The coupons of the person who is signed in; for administrators, those of the operator's own products, too. */
export function couponList(tools: DashboardTools, { coupons }: CouponTools): Endpoint[] {
  return list(tools, {
    id: 'selling-coupons',
    place: { area: 'selling', at: 'coupons' },
    audience: 'user',
    reach: 'own',
    filters: {},
    async find({ after, seller }) {
      const found = orFail(await coupons.list({ own: true, after, limit: perPage }, seller));
      return { rows: found.coupons, next: found.next };
    },
    none: { advice: listWords.noneAdvice },
    isFirstAlone: true,
    show({ rows }, { address, root, seller }) {
      const add = (text: string) => <ButtonLink href={`${address}/new`} text={text} look="primary" />;
      return {
        actions: add(words.add),
        first: (
          <EmptyState heading="h2" icon="coupons" title={words.noneTitle}>
            <p>{words.none[seller.mode]}</p>
            <p class="actions">
              {add(words.first)}
              <ButtonLink href={`${root}docs/selling#coupons`} text={words.guide} />
            </p>
          </EmptyState>
        ),
        table: <List label={words.list} columns={columnsIn(address)} rows={rows} />,
      };
    },
  });
}

function columnsIn(address: string): readonly Column<ShownCoupon>[] {
  const { columns } = words;
  return [
    {
      title: columns.code,
      cell: ({ coupon }) => (
        <a href={`${address}/${coupon.id}`} class="breakable">
          {coupon.code}
        </a>
      ),
    },
    { title: columns.state, isState: true, cell: ({ state }) => <CouponTag state={state} /> },
    { title: columns.off, isNumber: true, cell: ({ coupon }) => offOf(coupon) },
    { title: columns.uses, isNumber: true, cell: ({ coupon }) => words.usesOf(coupon.uses, coupon.mostUses) },
    { title: columns.ends, cell: ({ coupon }) => endOf(coupon) },
  ];
}

/** When the seller ended it, or the last day on which it is valid. */
function endOf({ endedAt, endsAt }: ShownCoupon['coupon']): ComponentChildren {
  return endedAt === null && endsAt !== null ? lastDay(endsAt) : timeOr(endedAt, words.never);
}
