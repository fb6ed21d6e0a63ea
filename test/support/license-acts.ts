import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import * as rules from '../../core/licensing/license.ts';
import { type LicenseKey, parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { LicenseStore, NewLicense } from '../../core/ports/license-store.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import { isRefused } from '../../core/refusal.ts';
import { by } from './by.ts';

/** The time at which tests issue licenses. */
export const issuedAt: Instant = Date.UTC(2026, 10, 20, 8, 30, 0, 123);

/** Returns the value. Throws if it is `undefined`. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The value is undefined.');
  return value;
}

export function domain(text: string): DomainName {
  return must(normalizeDomain(text));
}

/** Returns the n-th license key. Each n gives a different key. */
export function keyNumber(n: number): LicenseKey {
  const digits = String(n).padStart(12, '0');
  return must(parseLicenseKey(`LIC-TEST-${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8)}`));
}

/** Returns a new product. All its fields have different values, so that mixed-up fields are noticed. */
export function newProduct(fields: Partial<Product> = {}): Omit<Product, 'id'> {
  return {
    slug: 'tip-jar',
    title: 'Tip Jar',
    tagline: 'Tips for all',
    description: 'A jar that takes tips in any coin.',
    price: 4990,
    module: 'token',
    variant: 'erc-20',
    category: 'token-tools',
    subcategory: 'payments',
    tags: ['tips', 'jar "of" glass'],
    blockchains: ['Base'],
    isSupported: true,
    status: 'published',
    ownerId: null,
    isLive: false,
    zip: 'zips/jar.zip',
    thumbnail: 'images/jar.png',
    createdAt: issuedAt,
    updatedAt: issuedAt + 1,
    ...fields,
  };
}

/** Adds a product whose id differs from those of the first few users and licenses. */
export async function addProduct(products: ProductStore, title = 'Tip Jar'): Promise<ProductId> {
  const add = (slug: string) =>
    products.add(newProduct({ slug, title }), (given) => event('product.added', given, by, issuedAt));
  for (let filler = 0; filler < 2; filler++) await add('filler');
  return (await add(title.toLowerCase().replaceAll(' ', '-'))).id;
}

export function newLicense(key: LicenseKey, productId: ProductId, terms: Partial<NewLicense> = {}): NewLicense {
  return { key, productId, standing: 'active', maxDomains: 3, expiresAt: null, createdAt: issuedAt, ...terms };
}

/** Applies the rules of the license API directly to a store, with the time as an argument. */
export function actOn(licenses: LicenseStore) {
  return {
    issue: (...added: NewLicense[]) =>
      licenses.add(
        added,
        added.map(({ key, createdAt }) => event('license.issued', key, by, createdAt)),
      ),

    activate: (key: LicenseKey, name: DomainName, at: Instant) =>
      licenses.change(key, name, (license, current) => {
        const decision = rules.activate(license, current, name, at);
        if (isRefused(decision) || decision.add === undefined) return decision;
        return { ...decision, event: event('license.activated', key, by, at, { domain: name }) };
      }),

    deactivate: (key: LicenseKey, name: DomainName, at: Instant) =>
      licenses.change(key, name, (license, current) => {
        const decision = rules.deactivate(license, current);
        if (isRefused(decision)) return decision;
        return { ...decision, event: event('license.deactivated', key, by, at, { domain: name }) };
      }),

    verify: (key: LicenseKey, name: DomainName, at: Instant) =>
      licenses.verify(key, name, (license, isActivated) => rules.verify(license, isActivated, at)),
  };
}

/** Returns `ok`, or the reason of the refusal. */
export function outcome(answer: object | undefined): string {
  return isRefused(answer) ? answer.reason : 'ok';
}
