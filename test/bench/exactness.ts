import type { Running } from './processes.ts';
import { countVerifications } from './seed.ts';
import { sum } from './statistics.ts';

/** The numbers of requests, answers and counts for all servers of one database. */
export interface Exactness {
  readonly database: string;
  /** The answers that the load generator has received. */
  readonly received: number;
  /** The expected number of valid answers. Requests in flight at the end make it inexact. */
  readonly due: number;
  /** Requests that may have been answered after the end of the load. */
  readonly inFlight: number;
  /** The answers according to the servers' metrics. */
  readonly answered: number;
  /** Valid answers according to the servers' metrics. */
  readonly valid: number;
  /** Verifications that the database has counted. */
  readonly counted: number;
}

export async function exactnessOf(
  database: string,
  servers: readonly Running[],
  url: string,
  load: Pick<Exactness, 'received' | 'due' | 'inFlight'>,
): Promise<Exactness> {
  const texts = await Promise.all(servers.map((server) => server.metrics()));
  const total = (series: RegExp) =>
    sum(texts.flatMap((text) => [...text.matchAll(series)].map(([, value]) => Number(value))));
  return {
    database,
    ...load,
    answered: total(
      /^latchkey_http_request_duration_seconds_count\{.*route="\/(?:verify|activate|deactivate)".*\} (\d+)$/gm,
    ),
    valid: total(/^latchkey_verifications_total\{outcome="valid"\} (\d+)$/gm),
    counted: await countVerifications(url),
  };
}

/** Whether each valid answer was counted once, and all requests were answered. Only requests in flight may differ. */
export function isExact({ received, due, inFlight, answered, valid, counted }: Exactness): boolean {
  const isWhole = received <= answered && answered <= received + inFlight;
  return valid === counted && isWhole && Math.abs(valid - due) <= inFlight;
}
