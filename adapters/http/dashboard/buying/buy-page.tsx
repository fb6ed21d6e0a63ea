import type { VNode } from 'preact';
import { currenciesOf } from '../../../../core/marketplace/price-list.ts';
import { pricesWith } from '../../../../core/purchases/discounted.ts';
import { CardPage, Notice } from '../../ui/area-page.tsx';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { currencyQuery, queryWith } from '../../ui/currency-choice.tsx';
import { Form, HiddenField, TextField } from '../../ui/form.tsx';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { Layout } from '../../ui/layout.tsx';
import { newFormId } from '../kit/once.ts';
import type { Visit } from '../kit/page.ts';
import { digestOf, isAsTyped } from './again.ts';
import { AmountField, amountIn } from './amount-part.tsx';
import { CompanyPart } from './company-part.tsx';
import { CouponField, CurrencyField, type WithCoupon } from './coupon-part.tsx';
import { SumMarks, sumScript, withoutSum } from './sum-part.tsx';
import { Summary } from './summary.tsx';
import { buttonOf, sumTextFor, WayField } from './ways.tsx';
import { words } from './words.ts';

const { buy: names } = words;

/** The same page for everybody, whether the address had the product before or not. */
export function Mailed({ visit: { frame }, email }: { readonly visit: Visit; readonly email: string }): VNode {
  return (
    <CardPage frame={{ ...frame, part: 'products' }} title={names.mailedTitle}>
      <p>{names.mailed(email)}</p>
    </CardPage>
  );
}

/** The page with the form. */
export function buyPage(
  { frame, me }: Visit,
  { offered, isAsked }: WithCoupon,
  state: FormState,
  sendsMail: boolean,
): VNode {
  const { product, offer, ways, currency, discount } = offered;
  const [price] = pricesWith(offered, discount);
  const coupon = textOf(state, 'coupon').trim();
  const { title, slug, isLive } = product;
  const asked = { coupon: coupon || undefined, amount: amountIn(offered) || undefined };
  const here = `marketplace/${slug}/buy${queryWith({ offer: offer?.slug, ...currencyQuery(currency), ...asked })}`;
  const isPaidAgain = offer?.recurs != null;
  const heading = isPaidAgain ? names.subscribeTitle(title) : price === 0 ? names.getTitle(title) : names.title(title);
  const withSum = isPaidAgain && price === 0 ? names.subscribeFree : buttonOf({ price, currency }, ways);
  const isTyped = price > 0 && isAsTyped(offered);
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${heading} · ${frame.site}`}
      canSend
      scripts={['send-once.js', sumScript]}
      isUnlisted
    >
      <div class="area order alone">
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
            <>
              <p class="note">{names.noWay}</p>
              <Summary offered={offered} root={frame.root} />
            </>
          ) : (
            <Form
              // Without the part of the address that a button above has added.
              action={`${frame.root}${here}`}
              state={state}
              submit={withoutSum(offered, withSum)}
              look="primary buy"
              beside={
                <Summary offered={offered} root={frame.root}>
                  <CurrencyField currencies={currenciesOf(product)} shown={currency} />
                  {isAsked && <CouponField shown={coupon} isApplied={discount !== undefined} />}
                </Summary>
              }
            >
              <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
              <HiddenField name="offer" value={offer?.slug ?? ''} />
              <HiddenField name="terms" value={digestOf(offered)} />
              <SumMarks sold={offered} withSum={withSum} textFor={isTyped ? sumTextFor(ways) : undefined} />
              <AmountField sold={offered} />
              {me ? (
                <p class="to-whom">
                  {sendsMail ? names.memberMailed : names.member} <strong class="breakable">{me.login.email}</strong>
                </p>
              ) : (
                <>
                  <p class="to-whom">
                    {names.guestsToo}{' '}
                    <a href={`${frame.root}sign-in?next=${encodeURIComponent(`/${here}`)}`}>{names.signIn}</a>{' '}
                    {names.keepsOrders}
                  </p>
                  <TextField
                    name="email"
                    type="email"
                    label={names.email}
                    hint={sendsMail ? names.emailHint : names.emailKept}
                    autocomplete="email"
                  />
                </>
              )}
              <TextField name="name" label={names.name} hint={names.nameHint} autocomplete="name" />
              {price > 0 && <CompanyPart state={state} />}
              <WayField ways={ways} />
            </Form>
          )}
        </main>
      </div>
    </Layout>
  );
}
