import type { Running } from './processes.ts';
import { countVerifications } from './seed.ts';
import { sum } from './statistics.ts';

/** What became of the requests to all the servers of a database. */
export interface Exactness {
  readonly database: string;
  /** Answers that the load generator has received. */
  readonly received: number;
  /** Those of them that should have told a license to be valid; inexact by the requests in flight. */
  readonly due: number;
  /** Requests that may have been answered though the load had ended. */
  readonly inFlight: number;
  /** Answers that the servers say to have given. */
  readonly answered: number;
  /** Those of them that told a license to be valid. */
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

/** Whether each valid answer was counted once, and the servers answered what was asked: exactly, but for requests in flight. */
export function isExact({ received, due, inFlight, answered, valid, counted }: Exactness): boolean {
  const isWhole = received <= answered && answered <= received + inFlight;
  return valid === counted && isWhole && Math.abs(valid - due) <= inFlight;
}
