import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { baseCurrency } from '../../../../core/currency.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { couponLimits } from '../../../../core/purchases/coupon.ts';
import { pricesWith } from '../../../../core/purchases/discounted.ts';
import { isOutside, providers } from '../../../../core/purchases/order.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { emptyForm, type FormState, textOf } from '../../ui/form-state.ts';
import { shown } from '../kit/answer.ts';
import { billingFields, billingRefusals } from '../kit/billing-fields.tsx';
import { emailAddress, fieldWords, formId, hiddenText, optional } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail, type Visit } from '../kit/page.ts';
import { asRefused, messagesOf } from '../kit/refusal-messages.ts';
import { digestOf, isWantedAgain, openOrderIn, rememberOrder, replayUnlessCancelled } from './again.ts';
import {
  type AtTyped,
  amountIn,
  atTyped,
  changedTo,
  isUnseen,
  longestAmount,
  withAmountFault,
  wrongAmount,
} from './amount-part.tsx';
import { buyPage, Mailed } from './buy-page.tsx';
import { checkedCompany } from './company-part.tsx';
import { createCouponsIn, withFault } from './coupon-part.tsx';
import { type BuyingTools, returnTo } from './frame.tsx';
import { afterOutage, leadTo, nextStep, visitorOf } from './ways.tsx';
import { words } from './words.ts';

const { buy: names } = words;
const longestName = 100;
/**
 * The least time for sending a free product by mail, in milliseconds. A new order takes a little longer than a repeated
 * mail. Without this wait, the time would tell who has the product.
 */
const evenly = 250;

/** The page on which people buy a product, with an account or without one. */
export function buyPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  /** An empty slug is that of no offer: see `offeredAs`. Without a price in the currency, it is in the base currency. */
  const offeredIn = async (visit: Visit, offer: string, currency: string): Promise<Offered> => {
    const offeredFor = (wanted: string) =>
      own.checkout.offer(visit.params.slug ?? '', visitorOf(visit), offer || undefined, wanted);
    const found = await offeredFor(currency.toLowerCase() || baseCurrency);
    const offered =
      isRefused(found) && found.reason === 'currency_not_offered' ? await offeredFor(baseCurrency) : found;
    if (isRefused(offered)) {
      const { reason, detail } = offered;
      throw reason === 'forbidden' ? new Failure(reason, { detail }) : new Failure('not_found');
    }
    return offered;
  };
  /** As `offeredIn`, at the amount that was typed. */
  const pricedIn = async (visit: Visit, offer: string, currency: string, typed: string): Promise<AtTyped<Offered>> => {
    const offered = await offeredIn(visit, offer, currency);
    return orFail(await atTyped<Offered, never>(offered, typed, (amount) => own.checkout.atAmount(offered, amount)));
  };
  const couponIn = createCouponsIn(own);
  const page = async (visit: Visit, { sold, fault }: AtTyped<Offered>, state: FormState) => {
    const found = await couponIn(visit, sold, textOf(state, 'coupon').trim());
    const { ways } = found.offered;
    const isWay = ways.some((way) => way === textOf(state, 'way'));
    const { currency } = sold;
    const values = { ...state.values, currency, ...(!isWay && { way: ways[0] ?? '' }) };
    const faulty = withAmountFault(withFault({ ...state, values }, found.fault), fault);
    return buyPage(visit, found, faulty, tools.sendsMail);
  };

  return form(tools, {
    id: 'buy',
    path: '/marketplace/:slug/buy',
    audience: 'anybody',
    leadsTo: () => own.payPages,
    fields: z.object({
      once: formId,
      offer: hiddenText,
      currency: hiddenText,
      seen_currency: hiddenText,
      terms: hiddenText,
      email: hiddenText,
      name: optional(longestName),
      way: hiddenText,
      amount: optional(longestAmount),
      seen_amount: hiddenText,
      coupon: optional(couponLimits.code.most),
      seen_coupon: hiddenText,
      apply: hiddenText,
      ...billingFields,
    }),
    async initial(visit) {
      const { offer = '', currency: wanted = '', amount: asked = '', coupon = '' } = visit.query;
      const typed = asked.slice(0, longestAmount);
      const { sold, fault } = await pricedIn(visit, offer, wanted, typed);
      const { offered } = await couponIn(visit, sold, coupon.trim());
      const { currency, ways } = offered;
      const amount = fault === undefined ? amountIn(sold) : typed;
      return { name: visit.me?.login.name ?? '', offer, currency, amount, way: ways[0] ?? '', coupon };
    },
    render: async (visit, state) => {
      const [offer, currency, amount] = [textOf(state, 'offer'), textOf(state, 'currency'), textOf(state, 'amount')];
      return page(visit, await pricedIn(visit, offer, currency, amount), state);
    },
    async act(
      visit,
      { once, offer: chosen, currency, terms, email: typed, name, way: wanted, coupon, seen_coupon, apply, ...fields },
    ) {
      const { amount: typedAmount, seen_amount, seen_currency, ...company } = fields;
      const isOtherCurrency = currency !== seen_currency;
      // The number of one currency says nothing in another.
      const amount = isOtherCurrency ? '' : typedAmount;
      const visitor = visitorOf(visit);
      const priced = await pricedIn(visit, chosen, currency, amount);
      const full = priced.sold;
      if (currency !== '' && currency !== full.currency) return refuse('currency_not_offered');
      const { offered, fault } = await couponIn(visit, full, coupon);
      const { product, offer, discount, suggested } = offered;
      const shownAmount = isOtherCurrency ? amountIn(full) : amount;
      const typedIn = { once, offer: chosen, currency, amount: shownAmount, email: typed, name, way: wanted, coupon };
      const allTyped = { ...typedIn, ...company };
      // Nobody buys at a price that the page has not shown. A code that was refused is not shown as a discount: then the full
      // price is what the buyer has seen.
      const seen = async () => {
        const message =
          apply === '' && fault === undefined ? changedTo(pricesWith(offered, discount)[0], full.currency) : undefined;
        return shown(await page(visit, priced, { ...emptyForm, values: allTyped, message }), { leadsTo: own.payPages });
      };
      if (apply !== '' || coupon !== seen_coupon || isOtherCurrency) return await seen();
      const wrong = wrongAmount(priced, amount);
      const email = visit.me?.login.email ?? emailAddress.safeParse(typed).data;
      const billing = product.price === 0 ? undefined : checkedCompany(own, company);
      // All that is wrong is shown at once.
      const faults = {
        ...(wrong && { amount: [wrong.detail ?? ''] }),
        ...(email === undefined && { email: [fieldWords.notAnAddress] }),
        ...(billing && isRefused(billing) && messagesOf(billingRefusals, billing).faults),
      };
      if (Object.keys(faults).length > 1) {
        const state = { ...emptyForm, values: allTyped, faults };
        return shown(await page(visit, priced, state), { status: 422, leadsTo: own.payPages });
      }
      if (wrong) return wrong;
      if (isUnseen(offered, { seen: seen_amount, way: wanted })) return await seen();
      // A form without them is that of an older page.
      if (terms !== '' && terms !== digestOf(offered)) return refuse('terms_changed');
      if (email === undefined) return refuse('no_address');
      const way = providers.find((one) => one === wanted);
      if (way === undefined && wanted !== '') return refuse('not_for_sale');
      if (billing && isRefused(billing)) return billing;
      const wish = {
        ...{ product: String(product.id), offer: offer?.slug, email, name: name || null, way, billing },
        ...{ currency: offered.currency, coupon: discount?.code },
        ...(suggested !== undefined && { amount: product.price }),
      };
      const content = { ...wish, member: visit.me?.login.id ?? null };
      // Otherwise the page of the order would show whether the address has the product already.
      const isByMail = tools.sendsMail && visit.me === undefined && isFreeNow(offered, way);
      try {
        const open = await openOrderIn(tools, own, visit, offered);
        if (open !== undefined && isWantedAgain(open, visit, { ...wish, amount: product.price })) {
          if (billing) await own.billing.correct(open, billing);
          const payAt = await own.checkout.goOn(open.token, returnTo(own));
          return leadTo(nextStep({ order: open, payAt }));
        }
        const begun = await replayUnlessCancelled(own, once, content, async () => {
          const ordered = { ...wish, client: visit.from.address, earlier: open?.token };
          if (isByMail) {
            const [sent] = await Promise.all([own.checkout.sendFree(ordered), wait(evenly)]);
            return isRefused(sent) ? sent : { sent };
          }
          const begun = await own.checkout.begin(ordered, visitor, returnTo(own));
          return isRefused(begun) ? begun : nextStep(begun);
        });
        if (isRefused(begun)) return begun;
        if ('sent' in begun) return shown(<Mailed visit={visit} email={email} />);
        rememberOrder(tools, visit, begun.token);
        return leadTo(begun);
      } catch (error) {
        const state = afterOutage(error, allTyped);
        return shown(await page(visit, await pricedIn(visit, chosen, currency, amount), state), {
          status: 503,
          leadsTo: own.payPages,
        });
      }
    },
    refusals: {
      ...billingRefusals,
      terms_changed: { text: names.termsChanged },
      no_address: { field: 'email', text: fieldWords.notAnAddress },
      forbidden: asRefused(),
      product_not_found: { text: names.notForSale },
      not_for_sale: { text: names.notForSale },
      currency_not_offered: { text: names.termsChanged },
      amount_not_possible: asRefused('amount'),
      already_bought: { text: names.already },
      in_flight: { text: names.inFlight },
      unknown_coupon: wrongCoupon,
      coupon_not_for_this: wrongCoupon,
      coupon_for_owners: wrongCoupon,
      coupon_for_accounts: wrongCoupon,
      coupon_used_up: wrongCoupon,
      coupon_leaves_too_little: wrongCoupon,
    },
  });
}

/** Says what is wrong with the coupon. */
const wrongCoupon = asRefused('coupon');

/** Whether nothing is to be paid now, and no provider outside asks for a card. */
function isFreeNow(offered: Offered, way = offered.ways[0]): boolean {
  return pricesWith(offered, offered.discount)[0] === 0 && way !== undefined && !isOutside(way);
}
