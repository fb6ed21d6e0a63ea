import type { ComponentChildren, VNode } from 'preact';
import type { Endpoint } from '../../../../../core/webhooks/endpoint.ts';
import type { Asset } from '../../../ui/assets.ts';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellingPath } from '../selling-page.tsx';
import { pathOf } from './webhook-tools.ts';

/** A page below the list of webhooks. `of` is the webhook whose page is above this one. */
export function WebhookFrame({
  visit,
  title,
  of,
  above = [],
  ...more
}: {
  readonly visit: SignedInVisit;
  readonly title: string;
  readonly of?: Endpoint;
  /** Pages between that of the webhook and this one. */
  readonly above?: readonly { readonly href: string; readonly title: string }[];
  readonly scripts?: readonly Asset[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { root } = visit.frame;
  const list = { href: `${root}${sellingPath(visit, 'webhooks')}`, title: texts.sellingWebhooks.title };
  const own = of ? [{ href: `${root}${pathOf(visit, of)}`, title: shortUrl(of.url) }] : [];
  return <SellingPage visit={visit} at="webhooks" title={title} above={[list, ...own, ...above]} {...more} />;
}

/** The part of a URL by which its owner recognizes it. Without a URL, it says so. */
export function shortUrl(url: string | null): string {
  if (url === null) return texts.sellingWebhooks.listener;
  const { host, pathname } = new URL(url);
  const text = `${host}${pathname === '/' ? '' : pathname}`;
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
