import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Accounts } from '../../core/accounts/accounts.ts';
import type { Login } from '../../core/accounts/login.ts';
import type { From } from '../../core/accounts/signed-in.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Marketplace } from '../../core/marketplace/marketplace.ts';
import type { Purchases } from '../../core/purchases/buying.ts';
import type { Checkout } from '../../core/purchases/checkout.ts';
import { isRefused } from '../../core/refusal.ts';
import type { Webhooks } from '../../core/selling/webhooks.ts';
import { addSampleLicenses } from './licenses.ts';
import { drawPicture } from './picture.ts';
import { done, staged, writeZip } from './sample.ts';

/** What a visitor of the sandbox needs for the first call. */
export interface SandboxSamples {
  /** A test key, which is shown only once. */
  readonly apiKey: string;
  /** A license that is activated on no domain yet. */
  readonly license: LicenseKey;
}

type LicensePorts = Parameters<typeof addSampleLicenses>[0];

interface FillPorts extends LicensePorts {
  readonly accounts: Pick<Accounts, 'find' | 'createKey'>;
  readonly marketplace: Pick<Marketplace, 'publish'>;
  readonly webhooks: Pick<Webhooks, 'create'>;
  readonly checkout: Pick<Checkout, 'begin'>;
  readonly purchases: Pick<Purchases, 'play'>;
  readonly files: { readonly staging: string };
}

const listing = {
  title: 'Swap Kit',
  tagline: 'A decentralised exchange for your own tokens',
  description:
    'Pools, fees and a chart, ready for your brand.\n\n- The source code\n- Updates\n- A license for your own site',
  price: 14_900,
  module: 'custom',
  variant: null,
  category: 'defi-dex',
  subcategory: null,
  tags: ['dex', 'swap'],
  blockchains: ['ethereum', 'base'],
  isSupported: true,
} as const;

const buyers = [
  ['Ada Lovelace', 'ada', false],
  ['Grace Hopper', 'grace', true],
] as const;

/** Drawing it takes some time, and all visitors get the same one. */
let picture: Buffer | undefined;

/**
 * Fills an account of the sandbox with test data: a product with a file and a picture, a license in each status, an API
 * key, a webhook that fetches, and two orders, one of which was refunded.
 */
export async function fillSandbox(ports: FillPorts, owner: Login, from: From): Promise<SandboxSamples> {
  const { accounts, marketplace, webhooks, checkout, purchases, files } = ports;
  const user = done(await accounts.find(String(owner.id)));
  const actor = { kind: 'user', user } as const;
  const [zip, png] = ['zip', 'png'].map((kind) => join(files.staging, `${randomUUID()}.${kind}`)) as [string, string];
  picture ??= drawPicture([18, 52, 86], [94, 234, 212]);
  await writeZip(zip, { 'README.md': `# ${listing.title}\n`, 'index.html': `<h1>${listing.title}</h1>\n` });
  await writeFile(png, picture);
  const caller = { user, mode: 'test' } as const;
  const product = done(await marketplace.publish(caller, listing, await staged(zip, 'zip'), await staged(png, 'png')));
  const keys = await addSampleLicenses(ports, product.id, { actor: owner.email });
  const terms = { name: 'Sandbox', mode: 'test', scopes: null, expiresAt: null } as const;
  const { secret } = done(await accounts.createKey(String(owner.id), terms, actor));
  const listener = { url: null, events: '*', product: null, description: 'For latchkey webhooks listen' } as const;
  done(await webhooks.create(listener, { actor, mode: 'test' }));
  // Guests buy, but test products are sold by their owners only.
  const seller = { kind: 'operator', by: { actor: owner.email } } as const;
  for (const [name, first, isRefunded] of buyers) {
    // Few orders are taken for one address, so each visitor has buyers of their own.
    const email = `${first}.${owner.id}@example.com`;
    const wish = { product: product.slug, email, name, client: from.address };
    const begun = await checkout.begin(wish, seller, () => ({ done: '', cancelled: '' }));
    // Many orders come from this address. The account is of use without them, too.
    if (isRefused(begun)) break;
    const { token } = begun.order;
    done(await purchases.play(token, { kind: 'pay' }));
    if (isRefunded) done(await purchases.play(token, { kind: 'refund', amount: listing.price }));
  }
  return { apiKey: secret, license: keys.unused };
}
