import type { ComponentChildren, VNode } from 'preact';
import type { Deployments } from '../../../../core/deployments/deployments.ts';
import type { Questions } from '../../../../core/marketplace/questions.ts';
import type { ReturnAddresses } from '../../../../core/ports/payments.ts';
import type { Billing } from '../../../../core/purchases/billing.ts';
import type { BoughtFiles } from '../../../../core/purchases/bought-files.ts';
import type { ReadBoughtItems } from '../../../../core/purchases/bought-items.ts';
import type { RotateBoughtKey } from '../../../../core/purchases/bought-keys.ts';
import type { BoughtLicenses } from '../../../../core/purchases/bought-license.ts';
import type { Purchases } from '../../../../core/purchases/buying.ts';
import type { Checkout } from '../../../../core/purchases/checkout.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Renewing } from '../../../../core/purchases/renewing.ts';
import type { Subscribing } from '../../../../core/purchases/subscribing.ts';
import type { Ratings } from '../../../../core/ratings/ratings.ts';
import type { UsdcClaiming } from '../../../../core/usdc/claiming.ts';
import type { UsdcPaying } from '../../../../core/usdc/paying.ts';
import type { PrintSheet } from '../../../contracts/invoice-sheet.ts';
import { Failure } from '../../failures.ts';
import { entryOf, Notice } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { Layout } from '../../ui/layout.tsx';
import type { Replay } from '../kit/once.ts';
import type { Visit } from '../kit/page.ts';
import { words } from './words.ts';

/** The dependencies of the pages for buyers. */
export interface BuyingTools {
  readonly checkout: Checkout;
  readonly renewing: Renewing;
  readonly subscribing: Subscribing;
  readonly purchases: Purchases;
  readonly billing: Billing;
  readonly usdc: Pick<UsdcPaying, 'choose' | 'show' | 'find'>;
  readonly claiming: UsdcClaiming;
  readonly print: PrintSheet;
  readonly licenses: BoughtLicenses;
  readonly readItems: ReadBoughtItems;
  readonly rotateKey: RotateBoughtKey;
  readonly files: BoughtFiles;
  readonly deployments: Pick<Deployments, 'list'>;
  readonly questions: Questions;
  readonly ratings: Pick<Ratings, 'ofBuyer' | 'rate' | 'withdraw'>;
  readonly replay: Replay;
  /** How to pay `manual` orders, in the operator's words. */
  readonly instructions: string | undefined;
  /** The origin of the provider's pages for paying. `undefined` if there is no provider outside. */
  readonly payPages: string | undefined;
  /** The public address of the site. */
  readonly baseUrl: string;
  /** The public address of the license API. */
  readonly licenseApi: string;
}

/** The path of an order from the site's first page. */
export function pathOf({ token }: Pick<Order, 'token'>): string {
  return `orders/${token}`;
}

/** The order in the path. Whoever has its token may see it. Throws `not_found`. */
export async function orderIn({ purchases }: Pick<BuyingTools, 'purchases'>, { params }: Visit): Promise<Order> {
  const order = await purchases.find(params.token ?? '');
  if (order === undefined) throw new Failure('not_found');
  return order;
}

/** The pages to which the payment provider sends the buyer after the payment, or if the buyer goes back. */
export function returnTo({ baseUrl }: BuyingTools): (order: Order) => ReturnAddresses {
  return (order) => {
    const page = `${baseUrl}/${pathOf(order)}`;
    return { done: `${page}?${returned}`, cancelled: page };
  };
}

/** The parameter of the order's page when the buyer comes from the provider. */
export const returned = 'paid';

/** The name of the state of an order. */
export function stateName({ state, provider }: Pick<Order, 'state' | 'provider'>): string {
  return provider === 'free' && state === 'paid' ? words.freeName : words.states[state].name;
}

export function StateTag({ order }: { readonly order: Pick<Order, 'state' | 'provider'> }): VNode {
  const { tone } = words.states[order.state];
  return <span class={tone === 'plain' ? 'tag' : `tag ${tone}`}>{stateName(order)}</span>;
}

/** Whether no real money was paid. */
function isPlay({ isLive, provider }: Pick<Order, 'isLive' | 'provider'>): boolean {
  return !isLive || provider === 'test';
}

const { order: names } = words;

/**
 * A page about an order, for whoever has its token. Search engines must not list it; they are never signed in. `title` is
 * that of a page below the order's own page.
 */
export function OrderFrame({
  visit: { frame, me },
  order,
  title,
  scripts = [],
  head,
  tag,
  aside,
  children,
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly title?: string;
  readonly scripts?: readonly Asset[];
  readonly head?: ComponentChildren;
  /** How the order stands, if its own state says too little. */
  readonly tag?: VNode | false | undefined;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { agreed, buyer } = order;
  const isOwn = me !== undefined && me.login.id === buyer.userId;
  const mine = entryOf({ area: 'account', at: 'purchases' });
  const above = [
    ...(isOwn ? [{ href: `${frame.root}${mine.path}`, title: mine.title }] : []),
    ...(title === undefined ? [] : [{ href: `${frame.root}${pathOf(order)}`, title: agreed.title }]),
  ];
  return (
    <Layout
      frame={isOwn ? { ...frame, part: 'account' } : frame}
      title={`${title ?? names.title(agreed.title)} · ${frame.site}`}
      canSend
      scripts={['local-times.js', 'send-once.js', ...scripts]}
      isUnlisted={me === undefined}
      head={head}
    >
      <div class={aside === undefined ? 'area order alone' : 'area order'}>
        <main id="content">
          {above.length > 0 && <Breadcrumbs above={above} title={title ?? agreed.title} />}
          <Notice frame={frame} />
          <div class="title">
            <h1 dir="auto">{title ?? agreed.title}</h1>
            {title === undefined && (
              <span class="tags">
                {tag || <StateTag order={order} />}
                {isPlay(order) && <span class="tag">{names.test}</span>}
              </span>
            )}
          </div>
          {children}
        </main>
        {aside}
      </div>
    </Layout>
  );
}
