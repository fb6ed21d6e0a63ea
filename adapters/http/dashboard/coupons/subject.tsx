import type { VNode } from 'preact';
import type { Coupon, CouponState } from '../../../../core/purchases/coupon.ts';
import type { Coupons, ShownCoupon } from '../../../../core/selling/coupons.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import { areas, entryOf } from '../../ui/area-page.tsx';
import { moneyOf } from '../../ui/prices.ts';
import type { Once } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { modeIn, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { words } from './words.ts';

/** The dependencies of the pages about coupons. */
export interface CouponTools {
  readonly coupons: Coupons;
  readonly products: Pick<SellerProducts, 'list'>;
  readonly once: Once;
  /** The public address of the site. */
  readonly baseUrl: string;
}

export function couponSubject({ coupons }: CouponTools): Subject<ShownCoupon> {
  return {
    path: `/${areas.selling.coupons}/:id`,
    audience: 'user',
    find: async (visit) => orFail(await coupons.show(visit.params.id ?? '', sellerIn(visit))),
    about: ({ coupon: { id, code } }, visit) => ({
      name: code,
      path: sellingPath(visit, `coupons/${id}`),
      place: { area: 'selling', at: 'coupons' },
      mode: modeIn(visit),
      above: [entryOf({ area: 'selling', at: 'coupons' }, modeIn(visit))],
    }),
  };
}

const looks = {
  valid: 'tag good',
  planned: 'tag',
  used_up: 'tag busy',
  over: 'tag',
  ended: 'tag',
} as const satisfies Record<CouponState, string>;

export function CouponTag({ state }: Pick<ShownCoupon, 'state'>): VNode {
  return <span class={looks[state]}>{words.states[state]}</span>;
}

/** What a coupon takes off, for people. */
export function offOf({ takesOff }: Pick<Coupon, 'takesOff'>): string {
  return 'percent' in takesOff ? words.percent(takesOff.percent) : moneyOf(takesOff.amount, takesOff.currency);
}
