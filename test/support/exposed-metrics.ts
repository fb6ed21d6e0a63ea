import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';

/** Returns names and types of all metrics at `/metrics`, and the series that queries can use. */
export async function exposedMetrics() {
  const parts = await compose(
    readConfig({ LOG_LEVEL: 'silent', DATABASE_URL: 'memory:', FILES_URL: 'temporary:', PORT: '0', METRICS_PORT: '0' }),
  );
  await parts.get(t.listener);
  // Only a service with a replica has the replica metrics.
  (await parts.get(t.instruments)).watchReplica(() => ({ isUsed: true, lag: 0 }));
  const text = await (await parts.get(t.registry)).metrics();
  await parts.close();
  const metrics = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => ({ name, type }));
  const series = metrics.flatMap(({ name, type }) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
  );
  return { metrics, series };
}

/** Returns the metrics of this service in an expression. */
export function metricsIn(expression: string): readonly string[] {
  return expression.match(/\b(?:latchkey|nodejs|process)_\w+/g) ?? [];
}
