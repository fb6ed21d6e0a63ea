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
  /** Starts with `http:` or `https:`. Its own query is kept, except parameters with the names that are sent. */
  readonly url: string;
  /** An empty text means no token. */
  readonly token?: string | undefined;
  /** Milliseconds that one check may take, including the retry. Default: 3,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds without requests after repeated failures. Default: 10,000. */
  readonly pause?: number | undefined;
  readonly log?: Pick<Logger, 'info' | 'warn'> | undefined;
}

const mostBytes = 64 * 1024;
const mostFailures = 5;
const body = z.object({ purchased: z.boolean() });

/**
 * Asks a service of the operator. The contract:
 *
 * - The request is `GET <url>?user_id=<number>&email=<e-mail address>&template_id=<number>&template=<slug>` with
 *   `Accept: application/json` and, if there is a token, `Authorization: Bearer <token>`.
 * - The response is status 200 with the JSON `{"purchased": true}` or `{"purchased": false}`, at most 64 KiB. Other
 *   fields are ignored. The service returns `false` for an unknown user or template.
 * - Any other response is a failure, never a "no": another status (also 404 and redirects, which are not followed),
 *   another body, a broken connection, or a timeout.
 * - After a failure, one retry uses the rest of the time. If it fails too, the check throws `Unavailable`. So the
 *   request must not change anything.
 * - After five failed checks in a row, all checks fail at once during a pause. Then a single check is sent. If it
 *   succeeds, the others are sent again.
 *
 * Throws `TypeError` if the URL or the token cannot be sent.
 */
export function createRemotePurchaseCheck(options: RemotePurchaseCheckOptions): PurchaseCheck {
  const { url, token, timeout = 3_000, pause = 10_000, log } = options;
  const authorization: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const { headers } = new Request(url, { headers: { Accept: 'application/json', ...authorization } });

  const breaker = circuitBreaker(handleAll, { breaker: new ConsecutiveBreaker(mostFailures), halfOpenAfter: pause });
  breaker.onBreak(() => log?.warn({ pause }, 'purchase checks keep failing: none is sent during the pause'));
  breaker.onReset(() => log?.info('purchase checks work again'));
  // A signal for `fetch` alone is not enough: Node may never end the body (nodejs/node#56917). The library's timeout
  // always rejects, and its signal cancels the rest of the body.
  const tries = wrap(timeoutAfter(timeout, TimeoutStrategy.Aggressive), retry(handleAll, { maxAttempts: 1 }));

  return {
    async has(user, template) {
      const about = { user_id: user.id, email: user.email, template_id: template.id, template: template.slug };
      const address = withQuery(url, about);
      try {
        // Without this line, the breaker would make all other checks wait for the single trial check.
        if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
        // The breaker is not part of `wrap`. Otherwise all checks would listen to the same signal, and Node would warn
        // about a leak.
        return await breaker.execute(() => tries.execute(({ signal }) => ask(address, headers, signal)));
      } catch (cause) {
        if (!(cause instanceof BrokenCircuitError)) log?.warn({ err: cause }, 'purchase check failed');
        throw new Unavailable('The purchase check is not possible at the moment.', { cause });
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
  if (response.status !== 200) throw new Error(`The purchase service returned status ${response.status}.`);
  return body.parse(JSON.parse(await textOf(response))).purchased;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error(`The purchase service returned more than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
