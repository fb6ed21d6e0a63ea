import type { Database } from '../../adapters/sql/database.ts';
import type { Offer } from '../../core/marketplace/offers.ts';

/** The slug in the examples of the API reference. */
export const exampleSlug = 'uniswap-style-dex';

/** The version that the example deletes, and the one after it, which the example downloads. */
export const deletableVersion = '1.1.0';
export const newestVersion = '1.2.0';

/** The offer that the examples change, remove and issue licenses by. */
export const exampleOffer = {
  ...{ slug: 'team', name: 'Team', kind: 'once', price: 14_900, maxDomains: 1, duration: null },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
} as const satisfies Offer;

/** The time of the last change in the examples. */
const seenAt = Date.parse('2031-11-21T09:30:00.000Z');

/** The status that each transition begins with. */
const startOf: Readonly<Record<string, string>> = {
  unlist: 'published',
  relist: 'unlisted',
  resubmit: 'rejected',
};

/** Whether a request is about one product, as its seller or as everybody sees it. */
export function isAboutProduct(path: string): boolean {
  return /^\/api\/(?:marketplace\/)?products(?:\/|$)/.test(path);
}

/** Puts a product with a zip into the state in which the request of this path succeeds. */
export async function prepareProduct({ write }: Pick<Database, 'write'>, slug: string, path: string): Promise<void> {
  const [, act = ''] = /\/(\w+)$/.exec(path) ?? [];
  await write(async (trx) => {
    const products = trx('products').where({ slug });
    await products.clone().update({
      status: startOf[path.split('/')[2] === 'marketplace' ? 'unlist' : act] ?? 'pending',
      archived_at: null,
      offers: path.endsWith('/offers') ? null : JSON.stringify([exampleOffer]),
      updated_at: seenAt,
    });
    const own = trx('product_versions').whereIn('product_id', products.clone().select('id'));
    const oldest = await own.clone().orderBy('ordinal').first();
    if (oldest === undefined) return;
    await own.delete();
    const isDeleted = /\/versions\/./.test(path);
    const isAboutCodes = /\/codes\b/.test(path);
    const number = isDeleted ? deletableVersion : act === 'download' || isAboutCodes ? newestVersion : '1';
    if (isAboutCodes) {
      const code = { id: 31, product_id: oldest.product_id, version: newestVersion, contract: 'Dex', created_at: 1 };
      await trx('release_codes').delete();
      await trx('release_codes').insert({ ...code, hash: `0x${'c5'.repeat(32)}` });
    }
    const first = { ...oldest, ordinal: 1, number };
    await trx('product_versions').insert([
      first,
      ...(isDeleted ? [{ ...first, ordinal: 2, number: newestVersion }] : []),
    ]);
  });
}
