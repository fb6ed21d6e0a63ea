import { createManualClock, type ManualClock } from '../../../../adapters/node/manual-clock.ts';
import { openService } from '../../../../apps/server/open-service.ts';
import { compose, type Parts } from '../../../../apps/wiring/compose.ts';
import { readConfig } from '../../../../apps/wiring/config.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { ProductId } from '../../../../core/id.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { Terms } from '../../../../core/licensing/terms.ts';
import { by, operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { createHttpClient, type HttpClient } from '../../../support/http-client.ts';

/** A service in memory with one product. */
export interface LeaseService extends HttpClient {
  readonly parts: Parts;
  readonly clock: ManualClock;
  readonly url: string;
  readonly productId: ProductId;
  /** Issues a license that is activated on `a.com`. */
  license(terms?: Partial<Terms>): Promise<LicenseKey>;
  setHours(hours: number): Promise<void>;
  close(): Promise<void>;
}

export async function startLeaseService(settings: Record<string, string> = {}): Promise<LeaseService> {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const memory = { LOG_LEVEL: 'silent', DATABASE_URL: 'memory:', FILES_URL: 'temporary:', PORT: '0' };
  const config = readConfig({ RATE_LIMIT_URL: 'off:', ...settings, ...memory });
  const service = await openService(config, (at) => compose(at, { clock }), 'localhost');
  const { parts } = service;
  const url = `http://localhost:${service.port}`;
  const issuing = await parts.get(t.issuing);
  const product = good(await (await parts.get(t.products)).add({ title: 'Sample DEX', ownerId: null }, operator));
  const client = createHttpClient(url);
  return {
    ...client,
    parts,
    clock,
    url,
    productId: product.id,
    async license(terms = {}) {
      const wanted = { productId: product.id, maxDomains: 3, expiresAt: null, ...terms };
      const [key] = good(await issuing.issue(wanted, 1, operator));
      if (key === undefined) throw new Error('No license was issued.');
      await client.post('/activate', { license_key: key, domain: 'a.com' });
      return key;
    },
    async setHours(hours) {
      await (await parts.get(t.productStore)).change(product.id, (before) => ({
        after: { ...before, terms: { ...before.terms, leaseHours: hours } },
        event: event('product.changed', before.slug, by, clock.now()),
      }));
    },
    close: () => service.close(0),
  };
}
