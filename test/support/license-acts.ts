import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import * as hosts from '../../core/licensing/activations.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import { type LicenseKey, parseLicenseKey } from '../../core/licensing/license-key.ts';
import { type Move, move } from '../../core/licensing/move.ts';
import { judge } from '../../core/licensing/verdict.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { noLinks } from '../../core/marketplace/product-links.ts';
import type { ProductTerms } from '../../core/marketplace/product-terms.ts';
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
    version: '1.2.0',
    isApproved: true,
    prices: { eur: 4_590, jpy: 7_000 },
    leastPrices: null,
    sellerName: 'Jars "R" us',
    rejectionReason: 'Too many tips',
    archivedAt: issuedAt + 2,
    templateId: null,
    pictures: [],
    offers: [],
    bundle: null,
    adapters: {
      lemonsqueezy: { isOn: true, storeId: 71, productId: 72, variantId: null },
      edd: {
        ...{ isOn: true, itemId: 73, itemName: 'Jar' },
        plugin: { requires: null, tested: '6.5', requiresPhp: null },
      },
      gumroad: { isOn: true, productId: 'xY3==', permalink: 'jar' },
      slm: { isOn: true, secretKey: '5f8.1', itemReference: 'Jar' },
    },
    links: noLinks,
    terms: {
      maxDomains: 5,
      duration: { days: 30, from: 'first_activation' },
      hosts: { localHostsAreFree: true, previewHosts: ['*.vercel.app', 'staging.*'], wwwIsApex: false },
      movesPerMonth: 4,
      rotationsPerYear: 6,
      leaseHours: 72,
      onRefund: 'revoke',
      ...{ domainProof: 'never', deactivation: 'key', coolDownHours: 25 },
    },
    createdAt: issuedAt,
    updatedAt: issuedAt + 1,
    ...fields,
  };
}

/** Adds a product whose id differs from those of the first few users and licenses. */
export async function addProduct(
  products: ProductStore,
  title = 'Tip Jar',
  terms: Partial<ProductTerms> = {},
): Promise<ProductId> {
  const all = { ...newProduct().terms, ...terms };
  const add = (slug: string) =>
    products.add(newProduct({ slug, title, terms: all }), (given) => event('product.added', given, by, issuedAt));
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
      licenses.change(key, [name], (license, scene) => {
        const decision = hosts.activate(license, scene, name, at);
        if (isRefused(decision) || decision.add === undefined) return decision;
        return { ...decision, event: event('license.activated', key, by, at, { domain: name }) };
      }),

    deactivate: (key: LicenseKey, name: DomainName, at: Instant) =>
      licenses.change(key, [name], (license, scene) => {
        const decision = hosts.deactivate(license, scene, name, at);
        if (isRefused(decision)) return decision;
        return { ...decision, event: event('license.deactivated', key, by, at, { domain: name }) };
      }),

    move: (key: LicenseKey, asked: Move, at: Instant) =>
      licenses.change(key, [asked.from, asked.to], (license, scene) => {
        const decision = move(license, scene, asked, at);
        if (isRefused(decision) || decision.moved === undefined) return decision;
        return { ...decision, event: event('license.domain_moved', key, by, at, { domain: asked.from, to: asked.to }) };
      }),

    verify: (key: LicenseKey, name: DomainName, at: Instant) =>
      licenses.verify(key, name, (license, activation) => judge(license, activation, undefined, at)),
  };
}

/** The fields of an activation that takes a slot and is not moved. */
export const lasting = { kind: 'slot', endsAt: null, movedTo: null, movedFrom: null } as const;

/** Returns `ok`, or the reason of the refusal. */
export function outcome(answer: object | undefined): string {
  return isRefused(answer) ? answer.reason : 'ok';
}
