import { createMetricsListener } from '../../adapters/http/operations.ts';
import { createHttpServer } from '../../adapters/http/server.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { keepHouse } from './housekeeping.ts';
import { recoverImports } from './import-recovery.ts';
import { grace } from './stop-service.ts';

/** Where the text for Prometheus comes from. */
type Metrics = Parameters<typeof createMetricsListener>[0];

/**
 * Starts what a server does beside answering calls: it tells its metrics if METRICS_PORT is set, sweeps files and recovers imports.
 * What ends each of them is added to `ends` once it runs, so that it can be ended if the next one does not start.
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
}
