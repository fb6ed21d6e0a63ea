import { setTimeout as wait } from 'node:timers/promises';
import type { VNode } from 'preact';
import { z } from 'zod';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { providers } from '../../../../core/purchases/order.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage, Notice } from '../../ui/area-page.tsx';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { Form, HiddenField, TextField } from '../../ui/form.tsx';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { Layout } from '../../ui/layout.tsx';
import { LicenseTerms } from '../../ui/license-terms.tsx';
import { priceOf } from '../../ui/prices.ts';
import { product as productWords } from '../../ui/product-words.ts';
import { shown } from '../kit/answer.ts';
import { emailAddress, fieldWords, formId, hiddenText, optional } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import { digestOf, isWantedAgain, openOrderIn, rememberOrder, replayUnlessCancelled } from './again.ts';
import { type BuyingTools, returnTo } from './frame.tsx';
import { afterOutage, buttonOf, leadTo, nextStep, thenPaid, visitorOf, WayField } from './ways.tsx';
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
  /** An empty slug is that of no offer: see `offeredAs`. */
  const offeredIn = async (visit: Visit, offer: string): Promise<Offered> => {
    const offered = await own.checkout.offer(visit.params.slug ?? '', visitorOf(visit), offer || undefined);
    if (isRefused(offered)) throw new Failure('not_found');
    return offered;
  };
  const page = (visit: Visit, offered: Offered, state: FormState) => buyPage(visit, offered, state, tools.sendsMail);

  return form(tools, {
    id: 'buy',
    path: '/marketplace/:slug/buy',
    audience: 'anybody',
    leadsTo: () => own.payPages,
    fields: z.object({
      once: formId,
      offer: hiddenText,
      terms: hiddenText,
      email: hiddenText,
      name: optional(longestName),
      way: hiddenText,
    }),
    async initial(visit) {
      const { offer = '' } = visit.query;
      const { ways } = await offeredIn(visit, offer);
      return { name: visit.me?.login.name ?? '', offer, way: ways[0] ?? '' };
    },
    render: async (visit, state) => page(visit, await offeredIn(visit, textOf(state, 'offer')), state),
    async act(visit, { once, offer: chosen, terms, email: typed, name, way: wanted }) {
      const visitor = visitorOf(visit);
      const offered = await offeredIn(visit, chosen);
      const { product, offer } = offered;
      // A form without them is that of an older page.
      if (terms !== '' && terms !== digestOf(offered)) return refuse('terms_changed');
      const email = visit.me?.login.email ?? emailAddress.safeParse(typed).data;
      if (email === undefined) return refuse('no_address');
      const way = providers.find((one) => one === wanted);
      if (way === undefined && wanted !== '') return refuse('not_for_sale');
      const wish = { product: String(product.id), offer: offer?.slug, email, name: name || null, way };
      const content = { ...wish, member: visit.me?.login.id ?? null };
      // Otherwise the page of the order would show whether the address has the product already.
      const isByMail = tools.sendsMail && product.price === 0 && visit.me === undefined;
      try {
        const open = await openOrderIn(tools, own, visit, offered);
        if (open !== undefined && isWantedAgain(open, visit, wish)) {
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
        const state = afterOutage(error, { once, offer: chosen, email: typed, name, way: wanted });
        return shown(page(visit, await offeredIn(visit, chosen), state), { status: 503, leadsTo: own.payPages });
      }
    },
    refusals: {
      terms_changed: { text: names.termsChanged },
      no_address: { field: 'email', text: fieldWords.notAnAddress },
      product_not_found: { text: names.notForSale },
      not_for_sale: { text: names.notForSale },
      already_bought: { text: names.already },
      in_flight: { text: names.inFlight },
    },
  });
}

/** The same page for everybody, whether the address had the product before or not. */
function Mailed({ visit: { frame }, email }: { readonly visit: Visit; readonly email: string }): VNode {
  return (
    <CardPage frame={{ ...frame, part: 'products' }} title={names.mailedTitle}>
      <p>{names.mailed(email)}</p>
    </CardPage>
  );
}

function buyPage({ frame, me }: Visit, offered: Offered, state: FormState, sendsMail: boolean): VNode {
  const { product, offer, ways } = offered;
  const { title, slug, price, isLive } = product;
  const here = `/marketplace/${slug}/buy${offer === null ? '' : `?offer=${offer.slug}`}`;
  const isPaidAgain = offer?.recurs != null;
  const heading = price === 0 ? names.getTitle(title) : isPaidAgain ? names.subscribeTitle(title) : names.title(title);
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${heading} · ${frame.site}`}
      canSend
      scripts={['send-once.js']}
      isUnlisted
    >
      <div class="area order checkout">
        <main id="content">
          <Breadcrumbs
            above={[
              { href: `${frame.root}marketplace`, title: names.products },
              { href: `${frame.root}marketplace/${slug}`, title },
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
            <Form state={state} submit={buttonOf(product, ways, state)} look="primary buy">
              <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
              <HiddenField name="offer" value={offer?.slug ?? ''} />
              <HiddenField name="terms" value={digestOf(offered)} />
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
        <Summary offered={offered} root={frame.root} />
      </div>
    </Layout>
  );
}

/** The product with its price and its terms, beside the form. */
function Summary({ offered, root }: { readonly offered: Offered; readonly root: string }): VNode {
  const { product, offer } = offered;
  const { title, tagline, slug, price, sellerName } = product;
  return (
    <aside aria-labelledby="summary">
      <h2 id="summary">{names.what}</h2>
      <p class="bought" dir="auto">
        <strong>{title}</strong>
        {tagline !== '' && <span class="under">{tagline}</span>}
      </p>
      {offer && (
        <p>
          {names.offer}: <strong dir="auto">{offer.name}</strong>
          {listedOffers(product).length > 1 && (
            <>
              {' '}
              <a href={`${root}marketplace/${slug}`}>{names.otherOffers}</a>
            </>
          )}
        </p>
      )}
      <LicenseTerms sold={offered} />
      {price > 0 && <p>{productWords.refund[product.terms.onRefund]}.</p>}
      {sellerName !== null && (
        <p class="under">
          {names.seller}: <span dir="auto">{sellerName}</span>
        </p>
      )}
      <p class="total">
        {offer?.recurs ? names.totalNow : names.total} <span class="price">{priceOf(price)}</span>
      </p>
      {offer?.recurs && <p class="under">{thenPaid(offer)}</p>}
    </aside>
  );
}
