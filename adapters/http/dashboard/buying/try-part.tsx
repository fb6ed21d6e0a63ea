import type { VNode } from 'preact';
import type { BoughtLicense } from '../../../../core/purchases/bought-license.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Description, describe } from '../../ui/description.tsx';
import { Secret } from '../../ui/secret.tsx';
import type { Described } from '../../ui/seller-markdown.ts';
import type { BuyingTools } from './frame.tsx';
import { words } from './words.ts';

const { tryOut: names } = words;

/** The description of the product as it is now, with what the seller says of the installation. Only of products that everybody sees. */
export async function describedNow(
  { checkout, baseUrl }: Pick<BuyingTools, 'checkout' | 'baseUrl'>,
  { productId }: Pick<Order, 'productId'>,
): Promise<Described | undefined> {
  const offered = await checkout.offer(String(productId), undefined);
  return isRefused(offered) ? undefined : await describe(offered.product.description, baseUrl, 2);
}

/** How the buyer sees that the key works, and how it is installed. */
export function TryPart({
  license: { license, domains },
  described,
  baseUrl,
  root,
}: {
  readonly license: BoughtLicense;
  readonly described: Described | undefined;
  readonly baseUrl: string;
  readonly root: string;
}): VNode {
  const domain = domains[0]?.domain;
  const call =
    domain === undefined
      ? `status?license_key=${license.key}`
      : `verify?license_key=${license.key}&domain=${encodeURIComponent(domain)}`;
  return (
    <section class="panel" aria-labelledby="try">
      <h2 id="try">{names.title}</h2>
      <p class="lead breakable">{names.lead(domain)}</p>
      <Secret id="command" label={names.command} value={`curl -s '${baseUrl}/${call}'`} />
      <p>
        <a href={`${root}docs/license-api`}>{names.guide}</a>
      </p>
      {described !== undefined && described.html !== '' && (
        <details class="folded">
          <summary class="fold">{names.description}</summary>
          <Description described={described} />
        </details>
      )}
    </section>
  );
}
