import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Endpoint } from './surface.ts';

/** Whether the service can do its work; each check throws where what it looks at is out. */
export interface Readiness {
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** What the service can do without: told beside the others, but no reason not to be ready. */
  readonly dispensable?: Readonly<Record<string, () => Promise<void>>>;
  /** False from the moment that the process was told to stop. */
  accepts(): boolean;
  /** Milliseconds that only ever go up. */
  readonly now?: () => number;
}

/** Milliseconds for which the outcome of the checks is told again without checking anew. */
const checkedFor = 1_000;
/** Milliseconds after which a check that has no outcome counts as down. */
const checkTimeout = 3_000;

type Results = readonly (readonly [name: string, result: 'ok' | 'down'])[];

/** `GET /health/live`: the process answers. `GET /health/ready`: so does all that it needs, as of a second ago at most. */
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

async function runAll(checks: Readiness['checks']): Promise<Results> {
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

/** Shares one run among all who ask while it is under way, and among those who ask within a second after it. */
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

/** `GET /metrics` in Prometheus's text format, for a port that the public does not reach. */
export function createMetricsListener(registry: { readonly contentType: string; metrics(): Promise<string> }) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    } catch {
      response.writeHead(503).end(); // A worker did not tell its own in time.
    }
  };
}
