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

/** A command that tests the key. If the key is in use on a site, it tests the key for that site. */
export function TryKey({
  license: { license, domains },
  licenseApi,
  root,
}: {
  readonly license: BoughtLicense;
  /** The address of the license API. */
  readonly licenseApi: string;
  readonly root: string;
}): VNode {
  const domain = domains[0]?.domain;
  const call =
    domain === undefined
      ? `status?license_key=${license.key}`
      : `verify?license_key=${license.key}&domain=${encodeURIComponent(domain)}`;
  return (
    <details class="folded">
      <summary class="fold">{names.title}</summary>
      <p class="lead breakable">{names.lead(domain)}</p>
      <Secret id="try" label={names.command} value={`curl '${licenseApi}/${call}'`} />
      <p>
        <a href={`${root}docs/license-api`}>{names.guide}</a>
      </p>
    </details>
  );
}

/** The seller's description of the product, such as how to install it. */
export function SellerPart({ described }: { readonly described: Described | undefined }): VNode | null {
  if (described === undefined || described.html === '') return null;
  return (
    <details class="folded">
      <summary class="fold">{names.description}</summary>
      <Description described={described} />
    </details>
  );
}
