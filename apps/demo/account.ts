import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Tier, tierNames } from '../../core/accounts/tier.ts';
import type { ProductTransition } from '../../core/marketplace/product-transitions.ts';
import { categories } from '../../core/templates/template.ts';
import { storeZip } from '../commands/store-zip.ts';
import { done, operator, png, staged, writeZip } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Client, json, type Try } from './try.ts';

/** Sample data for the tour of the account API. */
export interface Account {
  /** An API key for each tier. */
  readonly keys: Readonly<Record<Tier, string>>;
  /** An API key that may only read templates. */
  readonly readerKey: string;
  /** Files to publish. */
  readonly zip: string;
  readonly png: string;
}

const samples = [
  { title: 'Staking pool', changes: [] },
  { title: 'NFT drop', changes: ['approve'] },
  { title: 'Meme coin', changes: ['reject'] },
  { title: 'Old vault', changes: ['approve', 'unlist'] },
] as const satisfies readonly { title: string; changes: readonly ProductTransition[] }[];

/** Adds users of each tier with a key, templates of each category and tier, a purchase, and products in each status. */
export async function addAccounts(parts: Parts, folder: string): Promise<Account> {
  const files = { zip: join(folder, 'token.zip'), png: join(folder, 'token.png') };
  await writeZip(files.zip, { 'README.md': '# Sample\n', 'contracts/Token.sol': 'contract Token {}\n' });
  await writeFile(files.png, png);
  const accounts = await parts.get(t.accounts);
  const keys: Partial<Record<Tier, string>> = {};
  const terms = { name: 'demo', mode: 'live', expiresAt: null } as const;
  for (const tier of tierNames) {
    const email = `${tier}@example.com`;
    done(await accounts.add({ name: `Sample ${tier}`, email, tier }, operator));
    keys[tier] = done(await accounts.createKey(email, { ...terms, scopes: null }, operator)).secret;
  }
  const reader = done(await accounts.createKey('pro@example.com', { ...terms, scopes: ['templates:read'] }, operator));
  await addTemplates(parts, files.zip);
  await addProducts(parts, keys.pro ?? '', files);
  return { ...files, keys: keys as Record<Tier, string>, readerKey: reader.secret };
}

async function addTemplates(parts: Parts, zip: string): Promise<void> {
  const templates = await parts.get(t.templateAdministration);
  for (const category of categories) {
    for (const tier of tierNames) {
      const slug = `${category}-${tier}`;
      const template = {
        slug,
        title: `Sample of ${category}, ${tier}`,
        description: 'A template to look around with.',
        category,
        tier,
        tags: [category, 'sample'],
        parameters: [{ name: 'name', type: 'string', label: 'Name', description: '', required: true, default: null }],
      } as const;
      done(await storeZip(parts, zip, (key) => templates.add({ ...template, zip: key }, operator)));
    }
  }
  const buyer = done(await (await parts.get(t.accounts)).find('free@example.com'));
  done(await templates.addPurchase(buyer, done(await templates.find('defi-dex-pro', operator)), operator));
}

async function addProducts(parts: Parts, key: string, files: { zip: string; png: string }): Promise<void> {
  const [accounts, marketplace, products, disk] = [
    await parts.get(t.accounts),
    await parts.get(t.marketplace),
    await parts.get(t.products),
    await parts.get(t.files),
  ];
  const seller = done(await accounts.authenticate(key));
  const copied = async (file: string, kind: 'zip' | 'png') => {
    const path = join(disk.staging, `demo.${kind}`);
    await copyFile(file, path);
    return await staged(path, kind);
  };
  for (const { title, changes } of samples) {
    const listing = {
      title,
      tagline: `${title}, ready to deploy`,
      description: 'A sample product of the demo.',
      price: 4_990,
      module: 'custom',
      variant: null,
      category: 'defi',
      subcategory: null,
      tags: ['sample'],
      blockchains: ['ethereum', 'base'],
      isSupported: true,
    };
    const zip = await copied(files.zip, 'zip');
    const { slug } = done(await marketplace.publish(seller, listing, zip, await copied(files.png, 'png')));
    for (const change of changes) done(await products.change(slug, change, operator));
  }
}

/** A tour of the account API. */
export function accountTries({ curl }: Client, { keys, readerKey, zip, png: image }: Account): Try[] {
  const as = (key: string) => ` -H 'X-API-Key: ${key}'`;
  const post = (key: string, path: string, body: object) =>
    curl(path, `${as(key)}${json} -d '${JSON.stringify(body)}'`);
  const form = (key: string, path: string, fields: readonly string[]) =>
    curl(path, `${as(key)}${fields.map((field) => ` -F '${field}'`).join('')}`);
  const publish = [
    'module=token',
    'title=My token',
    'tagline=Mints what you want',
    'description=A token that mints what you want, when you want it.',
    'price=49.90',
    'tags=["erc20","token"]',
    'blockchains=["ethereum"]',
  ];
  const deployment = { chain: 'sepolia', chain_id: 11155111, address: `0x${'5f'.repeat(20)}` };
  const registered = { ...deployment, tx_hash: `0x${'a1'.repeat(32)}`, template_id: 'defi-dex-free' };
  return [
    ['account: the owner of a key', '200 success', curl('/api/auth/me', as(keys.enterprise))],
    ['an invalid key', '401 UNAUTHORIZED', curl('/api/auth/me', as('nonsense'))],
    ['the API keys of the account', '200 success', curl('/api/keys', as(keys.pro))],
    ['the same with a key that may only read templates', '403 FORBIDDEN', curl('/api/keys', as(readerKey))],
    ['templates: those for a free plan', '200 success', curl('/api/templates', as(keys.free))],
    [
      'one category, on an enterprise plan',
      '200 success',
      curl('/api/templates?category=nfts-games', as(keys.enterprise)),
    ],
    ['the categories', '200 success', curl('/api/templates/categories', as(keys.free))],
    ['a template by its slug', '200 success', curl('/api/templates/defi-dex-free', as(keys.free))],
    ['a template above the plan', '404 NOT_FOUND', curl('/api/templates/defi-dex-enterprise', as(keys.free))],
    ['a download link: a free template', '200 success', curl('/api/templates/defi-dex-free/download', as(keys.free))],
    ['a template that was bought', '200 success', curl('/api/templates/defi-dex-pro/download', as(keys.free))],
    [
      'a template that was not bought',
      '403 NOT_PURCHASED',
      curl('/api/templates/token-tools-pro/download', as(keys.pro)),
    ],
    [
      'marketplace: publish, with a real zip and PNG',
      '200 success',
      form(keys.pro, '/api/marketplace/publish', [...publish, `product_zip=@${zip}`, `thumbnail=@${image}`]),
    ],
    [
      'publish with many errors',
      '422 VALIDATION_ERROR',
      form(keys.pro, '/api/marketplace/publish', [
        'title=x',
        'price=free',
        `product_zip=@${image}`,
        `thumbnail=@${zip}`,
      ]),
    ],
    ['my products', '200 success', curl('/api/marketplace/my-products?per_page=3', as(keys.pro))],
    ['upload an image', '200 success', form(keys.pro, '/api/marketplace/upload', [`file=@${image}`])],
    [
      'deployments: mainnet on a free plan, which is not allowed',
      '200 success',
      post(keys.free, '/api/deploy/preflight', { chain: 'ethereum', chain_id: 1 }),
    ],
    ['and on a pro plan', '200 success', post(keys.pro, '/api/deploy/preflight', { chain: 'ethereum', chain_id: 1 })],
    ['register a deployment', '200 success', post(keys.free, '/api/deploy/register', registered)],
    [
      'register with a wrong address',
      '422 VALIDATION_ERROR',
      post(keys.free, '/api/deploy/register', { ...registered, address: '0x1' }),
    ],
  ];
}
