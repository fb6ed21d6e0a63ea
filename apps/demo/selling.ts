import { freeDomainsLimit } from '../../core/licensing/activations.ts';
import { normalizeDomain } from '../../core/licensing/domain-name.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Seller } from '../../core/selling/seller.ts';
import { done, operator } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import type { Account } from './account.ts';
import { type Client, json, type Try } from './try.ts';

const product = 'nft-drop';

/**
 * Issues licenses of a seller's product. Its local hosts take no slot, and one license has the largest allowed number
 * of them.
 */
export async function addSales(parts: Parts): Promise<LicenseKey> {
  const [products, licenses] = [await parts.get(t.sellerProducts), await parts.get(t.sellerLicenses)];
  const licensing = await parts.get(t.licensing);
  const seller: Seller = { actor: operator, mode: 'live' };
  done(await products.change(product, { terms: { hosts: { localHostsAreFree: true } } }, seller));
  const holder = { email: 'grace@example.com', name: 'Grace Hopper' };
  const [sold] = done(await licenses.issue({ product, count: 1, holder, reference: 'order-4711' }, seller));
  if (sold === undefined) throw new Error('No license was issued.');
  const { key } = sold.license;
  for (let number = 1; number <= freeDomainsLimit; number += 1) {
    const domain = normalizeDomain(`shop${number}.localhost`);
    if (domain) done(await licensing.activate({ licenseKey: key, domain }));
  }
  return key;
}

/** A tour of selling over the account API. The commands change the license `key`. */
export function sellingTries({ curl }: Client, { keys }: Account, key: LicenseKey): Try[] {
  const as = ` -H 'X-API-Key: ${keys.pro}'`;
  const get = (path: string) => curl(path, as);
  const post = (path: string, body: object) => curl(path, `${as}${json} -d '${JSON.stringify(body)}'`);
  return [
    ['selling: my products with their terms', '200 success', get('/api/products')],
    [
      'issue two licenses',
      '200 success',
      post('/api/licenses', { product, count: 2, holder: { email: 'ada@example.com' } }),
    ],
    ['find a license by the e-mail address of its holder', '200 success', get('/api/licenses?q=grace@example.com')],
    ['why a domain is not valid', '200 success', get(`/api/licenses/${key}/explain?domain=shop.example.com`)],
    [
      'one local host more than a license may have',
      '422 free_domain_limit_reached',
      curl('/activate', `${json} -d '${JSON.stringify({ license_key: key, domain: 'localhost' })}'`),
    ],
    ['suspend a license', '200 success', post(`/api/licenses/${key}/suspend`, { reason: 'Not paid.' })],
    ['suspend it again', '409 CONFLICT', post(`/api/licenses/${key}/suspend`, { reason: 'Not paid.' })],
    ['its history', '200 success', get(`/api/licenses/${key}/events`)],
  ];
}
