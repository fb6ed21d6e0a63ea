import { embed, type Latchkey } from '../../../../apps/embed.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { Terms } from '../../../../core/licensing/terms.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { createHttpClient, type HttpClient } from '../../../support/http-client.ts';

/** A service in memory that tests call over HTTP. */
export interface Service extends Latchkey, HttpClient {
  license(terms?: Partial<Terms>): Promise<LicenseKey>;
}

export async function startService(settings: Parameters<typeof embed>[0] = {}): Promise<Service> {
  const latchkey = await embed(settings);
  const product = good(await latchkey.products.add({ title: 'Sample DEX', ownerId: null }, operator));
  return {
    ...latchkey,
    ...createHttpClient(latchkey.url),
    async license(terms = {}) {
      const [key] = good(
        await latchkey.issuing.issue({ productId: product.id, maxDomains: 1, expiresAt: null, ...terms }, 1, operator),
      );
      if (key === undefined) throw new Error('No license was issued.');
      return key;
    },
  };
}
