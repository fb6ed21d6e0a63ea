import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { Notice } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { Layout } from '../../ui/layout.tsx';
import { texts } from '../../ui/texts.ts';
import type { Visit } from '../visit.ts';
import { pathOf } from './buying-tools.ts';
import { isPlay, StateTag } from './state-tag.tsx';

const { order: words } = texts.buying;

/**
 * A page about an order, for whoever has its token. Search engines must not list it. `title` is that of a page below the
 * order's own page.
 */
export function OrderFrame({
  visit: { frame, me },
  order,
  title,
  scripts = [],
  head,
  aside,
  children,
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly title?: string;
  readonly scripts?: readonly Asset[];
  readonly head?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { agreed, buyer } = order;
  const isOwn = me !== undefined && me.login.id === buyer.userId;
  const above = [
    ...(isOwn ? [{ href: `${frame.root}account/purchases`, title: words.mine }] : []),
    ...(title === undefined ? [] : [{ href: `${frame.root}${pathOf(order)}`, title: agreed.title }]),
  ];
  return (
    <Layout
      frame={isOwn ? { ...frame, part: 'account' } : frame}
      title={`${title ?? words.title(agreed.title)} · ${frame.site}`}
      scripts={['local-times.js', 'send-once.js', ...scripts]}
      head={
        <>
          <meta name="robots" content="noindex, nofollow" />
          {head}
        </>
      }
    >
      <div class={aside === undefined ? 'area order alone' : 'area order'}>
        <main id="content">
          {above.length > 0 && <Breadcrumbs above={above} title={title ?? agreed.title} />}
          <Notice frame={frame} />
          <div class="title">
            <h1 dir="auto">{title ?? agreed.title}</h1>
            {title === undefined && <StateTag order={order} />}
          </div>
          {isPlay(order) && title === undefined && <p class="note">{words.test}</p>}
          {children}
        </main>
        {aside}
      </div>
    </Layout>
  );
}
