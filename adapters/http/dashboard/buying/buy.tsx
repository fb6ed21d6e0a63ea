import type { VNode } from 'preact';
import { z } from 'zod';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { type Provider, providers } from '../../../../core/purchases/order.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Notice } from '../../ui/area-page.tsx';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { ChoiceField, Form, HiddenField, TextField } from '../../ui/form.tsx';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { Layout } from '../../ui/layout.tsx';
import { priceOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { emailAddress, formId, hiddenText, optional } from '../fields.ts';
import { form } from '../form.ts';
import { newFormId } from '../once.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit, Visit } from '../visit.ts';
import { type BuyingTools, pathOf, returnTo } from './buying-tools.ts';
import { ProductTermsList } from './product-terms.tsx';

const { buy: words } = texts.buying;
const longestName = 100;

/** The page on which people buy a product, with an account or without one. */
export function buyPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const offeredIn = async (visit: Visit): Promise<Offered> => {
    const offered = await own.checkout.offer(visit.params.slug ?? '', visitorOf(visit));
    if (isRefused(offered)) throw new Failure('not_found');
    return offered;
  };
  const page = (visit: Visit, offered: Offered, state: FormState) => (
    <BuyPage visit={visit} offered={offered} state={state} />
  );

  return form(tools, {
    id: 'buy',
    path: '/marketplace/:slug/buy',
    audience: 'anybody',
    ...(own.payPages !== undefined && { leadsTo: own.payPages }),
    fields: z.object({
      once: formId,
      email: hiddenText,
      name: optional(longestName),
      way: hiddenText,
    }),
    initial: async (visit) => ({ name: visit.me?.login.name ?? '', way: (await offeredIn(visit)).ways[0] ?? '' }),
    render: async (visit, state) => page(visit, await offeredIn(visit), state),
    async act(visit, { once, email: typed, name, way: wanted }) {
      const visitor = visitorOf(visit);
      const { product } = await offeredIn(visit);
      const email = visit.me?.login.email ?? emailAddress.safeParse(typed).data;
      if (email === undefined) return refuse('no_address');
      const way = providers.find((one) => one === wanted);
      if (way === undefined && wanted !== '') return refuse('not_for_sale');
      const wish = { product: String(product.id), email, name: name || null, way };
      const content = { ...wish, member: visit.me?.login.id ?? null };
      try {
        const to = await own.replay(once, content, async () => {
          const begun = await own.checkout.begin({ ...wish, client: visit.from.address }, visitor, returnTo(own));
          if (isRefused(begun)) return begun;
          return begun.payAt ?? (begun.order.provider === 'test' ? `${pathOf(begun.order)}/pay` : pathOf(begun.order));
        });
        return isRefused(to) ? to : goTo(to);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        const values = { once, email: typed, name, way: wanted };
        const state = { values, faults: {}, message: words.unavailable, asksPassword: false };
        return shown(page(visit, await offeredIn(visit), state), { status: 503, leadsTo: own.payPages });
      }
    },
    refusals: {
      no_address: { field: 'email', text: texts.signIn.notAnAddress },
      product_not_found: { text: words.notForSale },
      not_for_sale: { text: words.notForSale },
      already_bought: { text: words.already },
      in_flight: { text: words.inFlight },
    },
  });
}

function visitorOf(visit: Visit) {
  return visit.me ? actorOf({ ...visit, me: visit.me } satisfies SignedInVisit) : undefined;
}

function BuyPage({
  visit: { frame, me },
  offered: { product, ways },
  state,
}: {
  readonly visit: Visit;
  readonly offered: Offered;
  readonly state: FormState;
}): VNode {
  const { title, slug, price, isLive } = product;
  const heading = price === 0 ? words.getTitle(title) : words.title(title);
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${heading} · ${frame.site}`}
      scripts={['send-once.js']}
      head={<meta name="robots" content="noindex" />}
    >
      <div class="area order">
        <main id="content">
          <Breadcrumbs
            above={[
              { href: `${frame.root}marketplace`, title: words.products },
              { href: `${frame.root}marketplace/${slug}`, title },
            ]}
            title={words.crumb}
          />
          <Notice frame={frame} />
          <div class="title">
            <h1 dir="auto">{heading}</h1>
            <p class="price">{priceOf(price)}</p>
          </div>
          {!isLive && <p class="note">{words.testMode}</p>}
          {ways.length === 0 ? (
            <p class="note">{words.noWay}</p>
          ) : (
            <Form state={state} submit={buttonOf(product, ways, state)}>
              <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
              {me ? (
                <p class="to-whom">
                  {words.member} <strong class="breakable">{me.login.email}</strong>
                </p>
              ) : (
                <TextField
                  state={state}
                  name="email"
                  type="email"
                  label={words.email}
                  hint={words.emailHint}
                  autocomplete="email"
                />
              )}
              <TextField state={state} name="name" label={words.name} hint={words.nameHint} autocomplete="name" />
              <WayField state={state} ways={ways} />
            </Form>
          )}
          {me === undefined && (
            <p class="aside">
              {words.guestsToo}{' '}
              <a href={`${frame.root}sign-in?next=${encodeURIComponent(`/marketplace/${slug}/buy`)}`}>{words.signIn}</a>{' '}
              {words.keepsOrders}
            </p>
          )}
        </main>
        <Summary product={product} />
      </div>
    </Layout>
  );
}

/** The text of the button says what is paid, if there is only one way to pay. */
function buttonOf({ price }: Product, ways: readonly Provider[], state: FormState): string {
  if (price === 0) return words.getFree;
  const chosen = ways.length === 1 ? ways[0] : textOf(state, 'way');
  return chosen === 'manual' && ways.length === 1 ? words.order(priceOf(price)) : words.pay(priceOf(price));
}

function WayField({ state, ways }: { readonly state: FormState; readonly ways: readonly Provider[] }): VNode {
  const [only] = ways;
  if (only !== undefined && ways.length === 1) {
    return (
      <>
        <HiddenField name="way" value={only} />
        {words.waysHint[only] !== '' && <p class="hint">{words.waysHint[only]}</p>}
      </>
    );
  }
  return (
    <ChoiceField
      state={state}
      name="way"
      type="radio"
      label={words.way}
      options={ways.map((way) => [
        way,
        <>
          {words.ways[way]} <span class="under">{words.waysHint[way]}</span>
        </>,
      ])}
    />
  );
}

/** The product with its price and its terms, beside the form. */
function Summary({ product }: { readonly product: Product }): VNode {
  const { title, tagline, price, sellerName } = product;
  return (
    <aside aria-labelledby="summary">
      <h2 id="summary">{words.what}</h2>
      <p class="bought" dir="auto">
        <strong>{title}</strong>
        {tagline !== '' && <span class="under">{tagline}</span>}
      </p>
      <ProductTermsList product={product} />
      {price > 0 && <p class="under">{words.refund[product.terms.onRefund]}.</p>}
      {sellerName !== null && (
        <p class="under">
          {words.seller}: <span dir="auto">{sellerName}</span>
        </p>
      )}
    </aside>
  );
}
