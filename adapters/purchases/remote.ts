import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout as timeoutAfter,
  wrap,
} from 'cockatiel';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import { Unavailable } from '../../core/unavailable.ts';

export interface RemotePurchaseCheckOptions {
  /** Of `http:` or `https:`; what it has of a query is kept, but for the parameters of the question. */
  readonly url: string;
  /** Empty is none. */
  readonly token?: string | undefined;
  /** Milliseconds that one question may take, the retry included. Default: 3,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds that a failing service is left alone for. Default: 10,000. */
  readonly pause?: number | undefined;
  readonly log?: Pick<Logger, 'info' | 'warn'> | undefined;
}

const mostBytes = 64 * 1024;
const mostFailures = 5;
const body = z.object({ purchased: z.boolean() });

/**
 * Asks a service of the operator's (issue 3, point 3), which keeps to this contract:
 *
 * - The request is `GET <url>?user_id=<number>&email=<e-mail address>&template_id=<number>&template=<slug>` with
 *   `Accept: application/json` and, where there is a token, `Authorization: Bearer <token>`.
 * - The answer is status 200 and the JSON `{"purchased": true}` or `{"purchased": false}`, of at most 64 KiB; further fields are
 *   ignored. `false` is also the answer about a user or template that the service does not know.
 * - Anything else is a failure, never a no: another status (404 too, and redirects, which are not followed), another body, a
 *   broken connection, no whole answer in time.
 * - A failure is followed by one more try in what is left of the time, then by `Unavailable`; asking must change nothing.
 * - After five failed questions in a row, all fail at once for a pause; then a single one is asked, and decides whether
 *   the others are asked again.
 *
 * Throws `TypeError` where the URL or the token cannot be sent.
 */
export function createRemotePurchaseCheck(options: RemotePurchaseCheckOptions): PurchaseCheck {
  const { url, token, timeout = 3_000, pause = 10_000, log } = options;
  const authorization: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const { headers } = new Request(url, { headers: { Accept: 'application/json', ...authorization } });

  const breaker = circuitBreaker(handleAll, { breaker: new ConsecutiveBreaker(mostFailures), halfOpenAfter: pause });
  breaker.onBreak(() => log?.warn({ pause }, 'purchase check is left alone'));
  breaker.onReset(() => log?.info('purchase check answers again'));
  // The library's timeout, unlike a signal given to `fetch` alone, also ends a body that Node never settles (nodejs/node#56917);
  // its own signal ends, with the question, what is not read of a body.
  const tries = wrap(timeoutAfter(timeout, TimeoutStrategy.Aggressive), retry(handleAll, { maxAttempts: 1 }));

  return {
    async has(user, template) {
      const about = { user_id: user.id, email: user.email, template_id: template.id, template: template.slug };
      const address = withQuery(url, about);
      try {
        // Left to itself, the breaker would let all others wait for the one question that is tried.
        if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
        // Not one `wrap`: that would hang every question on one signal of the library's, and Node warns of a leak.
        return await breaker.execute(() => tries.execute(({ signal }) => ask(address, headers, signal)));
      } catch (cause) {
        if (!(cause instanceof BrokenCircuitError)) log?.warn({ err: cause }, 'purchase check failed');
        throw new Unavailable('The purchase check cannot be made at the moment.', { cause });
      }
    },
  };
}

function withQuery(url: string, query: Readonly<Record<string, string | number>>): URL {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address;
}

async function ask(address: URL, headers: Headers, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(address, { headers, redirect: 'manual', signal });
  if (response.status !== 200) throw new Error(`The purchase check answered with status ${response.status}.`);
  return body.parse(JSON.parse(await textOf(response))).purchased;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error(`The purchase check answered with more than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
