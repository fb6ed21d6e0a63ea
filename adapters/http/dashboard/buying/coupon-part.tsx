import type { VNode } from 'preact';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { pricesWith } from '../../../../core/purchases/discounted.ts';
import { discountedLater } from '../../../../core/purchases/subscription.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import { currencyName } from '../../ui/currency-choice.tsx';
import { HiddenField, SelectField, TextField } from '../../ui/form.tsx';
import { type FormState, tooManyAttempts } from '../../ui/form-state.ts';
import { counted } from '../../ui/numbers.ts';
import { recurringPrice } from '../../ui/offer-words.ts';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { formWords } from '../../ui/words.ts';
import type { Visit } from '../kit/page.ts';
import type { BuyingTools } from './frame.tsx';
import { subscriptionWords } from './subscription-words.ts';
import { visitorOf } from './ways.tsx';
import { words } from './words.ts';

const { coupon: names } = words;

/** What is offered with the coupon that was typed, or as it is with the reason why the coupon changes nothing. */
export interface WithCoupon {
  readonly offered: Offered;
  /** What is wrong with the coupon. */
  readonly fault: string | undefined;
  /** Whether the page asks for a code. */
  readonly isAsked: boolean;
}

/** Reads coupons. What a visit has asked for is read once, because each code is counted. */
export function createCouponsIn({ checkout }: Pick<BuyingTools, 'checkout'>) {
  const known = new WeakMap<Visit, Map<string, WithCoupon>>();

  return async (visit: Visit, offered: Offered, code: string): Promise<WithCoupon> => {
    const all = known.get(visit) ?? new Map<string, WithCoupon>();
    known.set(visit, all);
    const key = JSON.stringify([offered.offer?.slug, offered.product.price, offered.currency, code]);
    const found = all.get(key) ?? (await read(visit, offered, code));
    all.set(key, found);
    return found;
  };

  async function read(visit: Visit, offered: Offered, code: string): Promise<WithCoupon> {
    if (code === '') return { offered, fault: undefined, isAsked: await checkout.takesCoupons(offered) };
    const used = await checkout.withCoupon(offered, code, visitorOf(visit), visit.from.address);
    return isRefused(used)
      ? { offered, fault: faultOf(used), isAsked: true }
      : { offered: used, fault: undefined, isAsked: true };
  }
}

function faultOf(refused: Refused): string {
  return refused.reason === 'too_many_attempts' ? tooManyAttempts(refused) : (refused.detail ?? '');
}

/** The state of the form, with what is wrong with the coupon. */
export function withFault(state: FormState, fault: string | undefined): FormState {
  if (fault === undefined || state.faults.coupon !== undefined) return state;
  return { ...state, faults: { ...state.faults, coupon: [fault] } };
}

/** A field that changes the sum, with a button that shows the page again. All that was typed stays. */
function AppliedField({
  name,
  button,
  children,
}: {
  readonly name: string;
  readonly button: string;
  readonly children: VNode;
}): VNode {
  // The page comes back with the field in view.
  const id = `${name}-part`;
  return (
    <div class="applied" id={id}>
      {children}
      <button type="submit" class="button" formaction={`#${id}`} name="apply" value={name}>
        {button}
      </button>
    </div>
  );
}

/** The field for a coupon. `shown`: the code that the page shows now. */
export function CouponField({ shown, isApplied }: { readonly shown: string; readonly isApplied: boolean }): VNode {
  return (
    <>
      <HiddenField name="seen_coupon" value={shown} />
      <AppliedField name="coupon" button={isApplied ? names.change : names.apply}>
        <TextField name="coupon" label={names.label} isCode />
      </AppliedField>
    </>
  );
}

/** The choice of a currency. With only one, there is nothing to choose. */
export function CurrencyField({
  currencies,
  shown,
}: {
  readonly currencies: readonly string[];
  readonly shown: string;
}): VNode {
  return (
    <>
      <HiddenField name="seen_currency" value={shown} />
      {currencies.length < 2 ? (
        <HiddenField name="currency" value={shown} />
      ) : (
        <AppliedField name="currency" button={formWords.change}>
          <SelectField
            name="currency"
            label={formWords.currency}
            options={currencies.map((code) => [code, currencyName(code)])}
          />
        </AppliedField>
      )}
    </>
  );
}

/** The price of a product, what a coupon takes off it, and what is to be paid. */
export function Totals({ offered }: { readonly offered: Offered }): VNode {
  const { product, offer, currency, discount } = offered;
  const [now] = pricesWith(offered, discount);
  return (
    <>
      {discount && (
        <>
          <p class="sum">
            {names.full} <span class="amount">{moneyOf(product.price, currency)}</span>
          </p>
          <p class="sum">
            <span class="breakable">{names.named(discount.code, discount.percent)}</span>{' '}
            <span class="amount">{`−${moneyOf(discount.amount, currency)}`}</span>
          </p>
        </>
      )}
      <p class="total">
        {offer?.recurs ? words.buy.totalNow : words.buy.total}{' '}
        <span class="price">{now === 0 && offer?.recurs ? moneyOf(0, currency) : priceOf(now, currency)}</span>
      </p>
      {offer?.recurs && <p class="under">{laterPayments(offered)}</p>}
    </>
  );
}

/** What the later payments of a subscription cost, in a sentence. */
function laterPayments({ product: { price }, offer, currency, discount }: Offered): string {
  const recurs = offer?.recurs;
  const full = recurringPrice({ price, recurs }, currency);
  const later = discount === undefined ? 0 : discountedLater(discount);
  if (discount === undefined || later === 0) return subscriptionWords.afterwards(full);
  const less = recurringPrice({ price: price - discount.amount, recurs }, currency);
  if (later === Number.POSITIVE_INFINITY) return subscriptionWords.afterwards(less);
  return names.thenBoth(less, counted(later, 'payment'), full);
}
