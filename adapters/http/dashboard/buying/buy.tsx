import { setTimeout as wait } from 'node:timers/promises';
import type { VNode } from 'preact';
import { z } from 'zod';
import { baseCurrency } from '../../../../core/currency.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { couponLimits } from '../../../../core/purchases/coupon.ts';
import { pricesWith } from '../../../../core/purchases/discounted.ts';
import { isOutside, providers } from '../../../../core/purchases/order.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage, Notice } from '../../ui/area-page.tsx';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { currencyQuery, queryWith } from '../../ui/currency-choice.tsx';
import { Form, HiddenField, TextField } from '../../ui/form.tsx';
import { emptyForm, type FormState, textOf } from '../../ui/form-state.ts';
import { Layout } from '../../ui/layout.tsx';
import { shown } from '../kit/answer.ts';
import { billingFields, billingRefusals } from '../kit/billing-fields.tsx';
import { emailAddress, fieldWords, formId, hiddenText, optional } from '../kit/fields.ts';
import { asRefused, form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import { digestOf, isAsTyped, isWantedAgain, openOrderIn, rememberOrder, replayUnlessCancelled } from './again.ts';
import {
  AmountField,
  type AtTyped,
  amountIn,
  atTyped,
  changedTo,
  isUnseen,
  longestAmount,
  withAmountFault,
  wrongAmount,
} from './amount-part.tsx';
import { CompanyPart, checkedCompany } from './company-part.tsx';
import { applying, CouponField, createCouponsIn, type WithCoupon, withFault } from './coupon-part.tsx';
import { type BuyingTools, returnTo } from './frame.tsx';
import { Summary } from './summary.tsx';
import { afterOutage, buttonOf, leadTo, nextStep, visitorOf, WayField } from './ways.tsx';
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
    if (isRefused(offered)) throw new Failure('not_found');
    return offered;
  };
  /** As `offeredIn`, at the amount that was typed. */
  const pricedIn = async (visit: Visit, offer: string, currency: string, typed: string): Promise<AtTyped<Offered>> => {
    const offered = await offeredIn(visit, offer, currency);
    const priced = await atTyped(offered, typed, (amount) =>
      own.checkout.offer(visit.params.slug ?? '', visitorOf(visit), offer || undefined, offered.currency, amount),
    );
    if (isRefused(priced)) throw new Failure('not_found');
    return priced;
  };
  const couponIn = createCouponsIn(own);
  const page = async (visit: Visit, { sold, fault }: AtTyped<Offered>, state: FormState) => {
    const found = await couponIn(visit, sold, textOf(state, 'coupon').trim());
    const { ways } = found.offered;
    const isWay = ways.some((way) => way === textOf(state, 'way'));
    const values = { ...state.values, ...(!isWay && { way: ways[0] ?? '' }) };
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
      const { amount, seen_amount, ...company } = fields;
      const visitor = visitorOf(visit);
      const priced = await pricedIn(visit, chosen, currency, amount);
      const full = priced.sold;
      if (currency !== '' && currency !== full.currency) return refuse('currency_not_offered');
      const { offered } = await couponIn(visit, full, coupon);
      const { product, offer, discount, suggested } = offered;
      const typedIn = { once, offer: chosen, currency, amount, email: typed, name, way: wanted, coupon, ...company };
      // Nobody buys at a price that the page has not shown. A code that was refused is not shown as a discount: then the full
      // price is what the buyer has seen.
      const seen = async (message?: string) =>
        shown(await page(visit, priced, { ...emptyForm, values: typedIn, message }), { leadsTo: own.payPages });
      if (apply === applying || coupon !== seen_coupon) return await seen();
      const wrong = wrongAmount(priced, amount);
      if (wrong) return wrong;
      if (isUnseen(offered, { seen: seen_amount, way: wanted })) {
        return await seen(changedTo(pricesWith(offered, discount)[0], full.currency));
      }
      // A form without them is that of an older page.
      if (terms !== '' && terms !== digestOf(offered)) return refuse('terms_changed');
      const email = visit.me?.login.email ?? emailAddress.safeParse(typed).data;
      if (email === undefined) return refuse('no_address');
      const way = providers.find((one) => one === wanted);
      if (way === undefined && wanted !== '') return refuse('not_for_sale');
      const billing = product.price === 0 ? undefined : checkedCompany(own, company);
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
        const state = afterOutage(error, typedIn);
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

const formName = 'checkout';

/** The same page for everybody, whether the address had the product before or not. */
function Mailed({ visit: { frame }, email }: { readonly visit: Visit; readonly email: string }): VNode {
  return (
    <CardPage frame={{ ...frame, part: 'products' }} title={names.mailedTitle}>
      <p>{names.mailed(email)}</p>
    </CardPage>
  );
}

function buyPage({ frame, me }: Visit, { offered, isAsked }: WithCoupon, state: FormState, sendsMail: boolean): VNode {
  const { product, offer, ways, currency, discount } = offered;
  const [price] = pricesWith(offered, discount);
  const coupon = textOf(state, 'coupon').trim();
  const { title, slug, isLive } = product;
  const keep = { offer: offer?.slug, coupon: coupon || undefined };
  const asked = { amount: amountIn(offered) || undefined };
  const here = `/marketplace/${slug}/buy${queryWith({ ...keep, ...currencyQuery(currency), ...asked })}`;
  const isPaidAgain = offer?.recurs != null;
  const heading = isPaidAgain ? names.subscribeTitle(title) : price === 0 ? names.getTitle(title) : names.title(title);
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${heading} · ${frame.site}`}
      canSend
      scripts={['send-once.js', ...(offered.suggested === undefined ? [] : (['chosen-price.js'] as const))]}
      isUnlisted
    >
      <div class="area order checkout">
        <main id="content">
          <Breadcrumbs
            above={[
              { href: `${frame.root}marketplace`, title: names.products },
              { href: `${frame.root}marketplace/${slug}${queryWith(currencyQuery(currency))}`, title },
            ]}
            title={isPaidAgain ? names.subscribeCrumb : names.crumb}
          />
          <Notice frame={frame} />
          <div class="title">
            <h1 dir="auto">{heading}</h1>
          </div>
          {!isLive && <p class="note">{names.testMode}</p>}
          {ways.length === 0 ? (
            <p class="note">{names.noWay}</p>
          ) : (
            <Form
              id={formName}
              state={state}
              submit={isPaidAgain && price === 0 ? names.subscribeFree : buttonOf({ price, currency }, ways, state)}
              look="primary buy"
            >
              <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
              <HiddenField name="offer" value={offer?.slug ?? ''} />
              <HiddenField name="currency" value={currency} />
              <HiddenField name="terms" value={digestOf(offered)} />
              <HiddenField name="seen_coupon" value={coupon} />
              <AmountField sold={offered} isWhole={isAsTyped(offered)} />
              {me ? (
                <p class="to-whom">
                  {sendsMail ? names.memberMailed : names.member} <strong class="breakable">{me.login.email}</strong>
                </p>
              ) : (
                <TextField
                  name="email"
                  type="email"
                  label={names.email}
                  hint={sendsMail ? names.emailHint : names.emailKept}
                  autocomplete="email"
                />
              )}
              <TextField name="name" label={names.name} hint={names.nameHint} autocomplete="name" />
              {price > 0 && <CompanyPart state={state} />}
              <WayField ways={ways} />
            </Form>
          )}
          {me === undefined && (
            <p class="aside">
              {names.guestsToo} <a href={`${frame.root}sign-in?next=${encodeURIComponent(here)}`}>{names.signIn}</a>{' '}
              {names.keepsOrders}
            </p>
          )}
        </main>
        <Summary offered={offered} root={frame.root} keep={keep}>
          {isAsked && ways.length > 0 && (
            <CouponField form={formName} state={state} isApplied={discount !== undefined} />
          )}
        </Summary>
      </div>
    </Layout>
  );
}
