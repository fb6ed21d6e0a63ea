import { setTimeout } from 'node:timers/promises';
import type { Endpoint } from './surface.ts';

export const ownsHealth = (path: string) => path === '/health/live' || path === '/health/ready';

/** The checks that decide whether the service is ready. A check throws if its part is not available. */
export interface Readiness {
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** Checks of parts that the service can do without. Their results are reported, but do not affect readiness. */
  readonly dispensable?: Readonly<Record<string, () => Promise<void>>>;
  /** Returns false once the process is stopping. */
  accepts(): boolean;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Time for which the results of the checks are cached, in milliseconds. */
const checkedFor = 1_000;
/** Time after which a check without a result counts as down, in milliseconds. */
const checkTimeout = 3_000;

type Results = readonly (readonly [name: string, result: 'ok' | 'down'])[];

/**
 * `GET /health/live`: the process answers. `GET /health/ready`: everything that it needs works too. The results are at
 * most a second old.
 */
export function healthEndpoints({
  checks,
  dispensable = {},
  accepts,
  now = () => performance.now(),
}: Readiness): Endpoint[] {
  const check = once(() => runAll({ ...checks, ...dispensable }), now);
  return [
    {
      id: 'live',
      method: 'get',
      paths: ['/health/live'],
      respond(ctx) {
        ctx.body = { status: 'ok' };
      },
    },
    {
      id: 'ready',
      method: 'get',
      paths: ['/health/ready'],
      async respond(ctx) {
        const results = await check();
        const ready = accepts() && results.every(([name, result]) => result === 'ok' || name in dispensable);
        ctx.status = ready ? 200 : 503;
        ctx.body = { status: ready ? 'ok' : 'unavailable', checks: Object.fromEntries(results) };
      },
    },
  ];
}

/** Runs all checks. One without a result after some seconds is `down`. */
export async function runAll(checks: Readiness['checks']): Promise<Results> {
  return await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const outcome = check().then(
        () => 'ok' as const,
        () => 'down' as const,
      );
      const stop = new AbortController();
      const late = setTimeout(checkTimeout, 'down' as const, { signal: stop.signal });
      const result = await Promise.race([outcome, late.catch(() => outcome)]);
      stop.abort();
      return [name, result] as const;
    }),
  );
}

/** Shares one run between all calls that arrive during it or within a second after it. */
function once(run: () => Promise<Results>, now: () => number): () => Promise<Results> {
  let latest: Promise<Results> | undefined;
  let freshUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (latest === undefined || now() >= freshUntil) {
      freshUntil = Number.POSITIVE_INFINITY;
      latest = run().finally(() => {
        freshUntil = now() + checkedFor;
      });
    }
    return latest;
  };
}
