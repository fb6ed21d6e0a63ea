import { byOf } from '../accounts/role.ts';
import { withoutMetadata } from '../deployments/contract-code.ts';
import { event } from '../events/event.ts';
import { parseId, toReleaseCodeId } from '../id.ts';
import type { Product } from '../marketplace/product.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { Keccak } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { ReleaseCode, ReleaseCodes } from '../ports/release-codes.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf, type Seller } from './seller.ts';

/** A contract of a version, with its code or the hash of its code. */
export interface NewCode {
  readonly version: string;
  readonly contract: string;
  /** The code that runs, `0x` and hexadecimal digits, with or without metadata; or its hash without metadata. */
  readonly code: { readonly bytes: string } | { readonly hash: string };
}

/** A page of codes. `next` is the place of the page after it. */
interface Page {
  readonly items: readonly ReleaseCode[];
  readonly next: string | null;
}

/**
 * The codes of contracts in the versions of a product, by which deployments of its template are told from others. Each needs
 * `products:manage`.
 */
export interface SellerReleaseCodes {
  /** Newest first. */
  list(
    idOrSlug: string,
    page: { readonly after: string | undefined; readonly limit: number },
    seller: Seller,
  ): Promise<Page | Refused<'product_not_found' | 'unknown_place'>>;
  /**
   * Registers a code. The same code again changes nothing. Deployments of the template that matched no code before, and have
   * this one, are confirmed.
   */
  add(
    idOrSlug: string,
    code: NewCode,
    seller: Seller,
  ): Promise<ReleaseCode | Refused<'product_not_found' | 'version_not_found' | 'too_many_codes'>>;
  /** Later deployments no longer match it. What was confirmed stays so. */
  remove(
    idOrSlug: string,
    id: string,
    seller: Seller,
  ): Promise<undefined | Refused<'product_not_found' | 'code_not_found'>>;
}

interface ReleaseCodePorts {
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug' | 'findVersion'>;
  readonly codes: ReleaseCodes;
  readonly keccak: Keccak;
  readonly clock: Clock;
}

export function createSellerReleaseCodes({ products, codes, keccak, clock }: ReleaseCodePorts): SellerReleaseCodes {
  const find = (idOrSlug: string, seller: Seller) => findProductOf(products, idOrSlug, seller, 'products:manage');
  const changed = ({ slug }: Product, { actor }: Seller) =>
    event('product.changed', slug, byOf(actor), clock.now(), { fields: 'codes' });
  return {
    async list(idOrSlug, { after, limit }, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const before = parseIdPlace(after, toReleaseCodeId);
      if (isRefused(before)) return before;
      return pageOf(await codes.list(product.id, before, limit + 1), limit);
    },

    async add(idOrSlug, { version, contract, code }, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      if ((await products.findVersion(product.id, version)) === undefined)
        return refuse('version_not_found', `The product has no version ${version}.`);
      const hash = 'hash' in code ? code.hash.toLowerCase() : keccak(withoutMetadata(code.bytes.toLowerCase()));
      const added = await codes.add(
        { productId: product.id, version, contract, hash, createdAt: clock.now() },
        changed(product, seller),
      );
      if (!isRefused(added) && product.templateId !== null)
        await codes.confirm(product.templateId, product.isLive, added);
      return added;
    },

    async remove(idOrSlug, id, seller) {
      const product = await find(idOrSlug, seller);
      if (isRefused(product)) return product;
      const code = parseId(id, toReleaseCodeId);
      const isGone = code !== undefined && (await codes.remove(product.id, code, changed(product, seller)));
      return isGone ? undefined : refuse('code_not_found', `The product has no code ${id}.`);
    },
  };
}
