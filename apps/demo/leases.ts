import { registrableDomain } from '../../adapters/domains/public-suffix.ts';
import { normalizeDomain } from '../../core/licensing/domain-name.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import type { ProductTerms } from '../../core/marketplace/product-terms.ts';
import type { Order } from '../../core/purchases/order.ts';
import { recordStrays } from '../../core/selling/record-strays.ts';
import { day, hour } from '../../core/time.ts';
import { done, operator } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Client, json, type Try } from './try.ts';

/** A license whose sites check leases, and whose key has leaked. */
export interface LeasedLicense {
  readonly key: LicenseKey;
  readonly productId: number;
  /** With which programs check its leases. */
  readonly publicKey: string;
}

const terms: Partial<ProductTerms> = {
  leaseHours: 72,
  domainProof: 'always',
  deactivation: 'cool_down',
  coolDownHours: 24,
};

const domains = { early: 'old-shop.example.com', proven: 'shop.example.org' } as const;

/** Foreign domains that use the key: how often in a day, from which network, and for how many days until now. */
const strays = [
  { host: 'free-swap.example', network: '203.0.113.0', calls: 41, days: 9 },
  { host: 'swap-mirror.example', network: '198.51.100.0', calls: 17, days: 6 },
  { host: 'test.swap-clone.example', network: '192.0.2.0', calls: 5, days: 3 },
] as const;

/** Asks for proofs of the domains of a product that was bought, proves one of the license's domains, and adds strays. */
export async function addLeased(parts: Parts, { licenseKey: key, productId }: Order): Promise<LeasedLicense> {
  if (key === null) throw new Error('The order has no license.');
  const [products, store, aliases, unproven, clock, leaseKeys] = [
    await parts.get(t.sellerProducts),
    await parts.get(t.licenseStore),
    await parts.get(t.licenseAliases),
    await parts.get(t.unprovenDomains),
    await parts.get(t.clock),
    await parts.get(t.leaseKeys),
  ];
  // The domains of the demo are nobody's, so no name server has a proof of them.
  const proofs = { textFor: () => '', find: async () => 'found' as const };
  const licensing = createLicensing({ store, aliases, unproven, clock, proofs, pause: async () => undefined });
  const activate = async (text: string) => {
    const domain = normalizeDomain(text);
    if (domain === undefined) throw new Error(`${text} is no domain.`);
    done(await licensing.activate({ licenseKey: key, domain }));
    done(await licensing.verify({ licenseKey: key, domain }));
  };
  await addStrays(parts, key);
  await activate(domains.early);
  done(await products.change(String(productId), { terms }, { actor: operator, mode: 'live' }));
  await activate(domains.proven);
  await leaseKeys.currentKey(); // Made, if there is none yet.
  const [{ publicKey } = { publicKey: '' }] = await leaseKeys.published();
  return { key, productId, publicKey };
}

/** As if each of the last days had been stored by itself. The last one makes the server suspect a leak. */
async function addStrays(parts: Parts, key: LicenseKey): Promise<void> {
  const [store, licenses, aliases, accounts, limiter, write, clock] = [
    await parts.get(t.strayStore),
    await parts.get(t.licenseStore),
    await parts.get(t.licenseAliases),
    await parts.get(t.accountStore),
    await parts.get(t.rateLimiter),
    await parts.get(t.writeLetter),
    await parts.get(t.clock),
  ];
  for (let ago = 9; ago >= 0; ago--) {
    const now = clock.now() - ago * day;
    const hosts = strays
      .filter(({ days }) => ago < days)
      .map(({ host, network, calls }) => ({ host, network, calls: calls + ago, firstAt: now - 2 * hour, lastAt: now }));
    const counted = { licenseKey: key, broughtBy: 'demo', hosts, others: 0 };
    const ports = { strays: store, licenses, aliases, accounts, limiter, write, registrableDomain };
    await recordStrays({ ...ports, counter: { take: () => [counted] }, clock: { now: () => now } }, () => true);
  }
}

/** A tour of leases and proofs of domains. */
export function leaseTries({ curl, get }: Client, { key }: LeasedLicense): Try[] {
  const post = (operation: string, domain: string) =>
    curl(`/${operation}`, `${json} -d '${JSON.stringify({ license_key: key, domain })}'`);
  return [
    ['leases: a signed answer', '200 valid', get('/lease', { license_key: key, domain: domains.proven })],
    [
      'a product that asks for proofs: a domain that nobody can prove',
      '403 domain_not_proven',
      post('activate', 'localhost'),
    ],
    ['deactivate a domain with the key', '200 success', post('deactivate', domains.early)],
    ['and another one, too soon after it', '409 deactivation_too_soon', post('deactivate', domains.proven)],
  ];
}
