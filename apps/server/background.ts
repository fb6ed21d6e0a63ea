import { createMetricsListener } from '../../adapters/http/metrics-listener.ts';
import { createHttpServer } from '../../adapters/http/server.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { removeEndedDomains } from './ended-domains.ts';
import { keepHouse } from './housekeeping.ts';
import { recoverImports } from './import-recovery.ts';
import { keepCounting } from './keep-counting.ts';
import { grace } from './stop-service.ts';
import { tellWebhooks } from './tell-webhooks.ts';

/** The source of the metrics in Prometheus format. */
type Metrics = Parameters<typeof createMetricsListener>[0];

/**
 * Starts the background work of a server: the metrics endpoint if METRICS_PORT is set, the file sweep, the recovery of
 * imports, the hourly figures of use, the removal of moved domains and the webhooks about expiries and verifications.
 * Adds a function to `ends` after each start, so that the caller can stop the running ones if the next start fails.
 */
export async function startBackgroundWork(
  parts: Parts,
  metrics: () => Promise<Metrics>,
  ends: (() => Promise<void>)[],
): Promise<void> {
  const { METRICS_PORT, METRICS_HOST } = await parts.get(t.config);
  if (METRICS_PORT !== '') {
    const server = createHttpServer(createMetricsListener(await metrics()), { request: 10_000 });
    const { address, port } = await server.listen(METRICS_PORT, METRICS_HOST);
    ends.push(() => server.close(grace));
    (await parts.get(t.log)).info({ address, port }, 'metrics listening');
  }
  ends.push(await keepHouse(parts));
  ends.push(await recoverImports(parts));
  ends.push(await keepCounting(parts));
  ends.push(await removeEndedDomains(parts));
  ends.push(await tellWebhooks(parts));
}
