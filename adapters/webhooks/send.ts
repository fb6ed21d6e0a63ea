import { setImmediate as loopTurn } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { Client } from 'undici';
import type { Clock } from '../../core/ports/clock.ts';
import type { SendWebhook, WebhookMessage } from '../../core/ports/webhook-sender.ts';
import { type Attempted, patience as standardPatience } from '../../core/webhooks/delivery.ts';
import { cutOff, FailedAttempt, type Failure } from '../failed-attempt.ts';
import { type Connect, createConnect } from '../guarded-connect.ts';
import { createLookUp, type LookUp } from '../look-up.ts';
import { createIsAllowed } from '../public-addresses.ts';
import { createQueue } from '../queue.ts';
import { answerOf, beginningOf, failureOfAnswer, retryAfterOf } from './answers.ts';
import { type Permitted, readUrl } from './check-url.ts';
import { failureOf } from './faults.ts';
import { signed } from './signatures.ts';

interface SendOptions extends Permitted {
  /** Of this program, for `User-Agent`. */
  readonly version: string;
  readonly clock: Clock;
  readonly lookUp?: LookUp;
  /** For tests: certificates of authorities, and milliseconds until a receiver is too late. */
  readonly tls?: Pick<ConnectionOptions, 'ca'>;
  readonly patience?: number;
}

/** The result of an attempt. */
type End = Pick<Attempted, 'answer' | 'fault' | 'detail' | 'retryAfter'>;

/**
 * Starts at most one attempt in each turn of the event loop. Otherwise hundreds that start together would hold up
 * everything else that the process answers.
 *
 * Every attempt gets its own connection: the check of its address can then never be that of another attempt, and a
 * receiver that closes idle connections loses nothing.
 */
export function createSendWebhook({
  version,
  clock,
  allowHttp,
  allowedNetworks,
  whyNone,
  lookUp = createLookUp(),
  tls = {},
  patience = standardPatience,
}: SendOptions): SendWebhook {
  const isAllowed = createIsAllowed(allowedNetworks);
  const connect = createConnect(isAllowed, lookUp, tls);
  const inTurn = createQueue({ atOnce: 1, waiting: Number.POSITIVE_INFINITY });
  const fixed = { 'content-type': 'application/json', 'user-agent': `Latchkey/${version}` };

  return async (message, stop) => {
    const { Client } = await undici();
    await inTurn(loopTurn, stop);
    stop.throwIfAborted();
    const startedAt = performance.now();
    const signatures = signed(message);
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = signatures;
    const request = {
      url: message.url,
      headers: { ...fixed, 'webhook-id': id, 'webhook-timestamp': timestamp },
    };
    const url = readUrl(message.url, { allowHttp, whyNone }, isAllowed);
    const end =
      url instanceof URL
        ? await within(patience, stop, (signal) => exchange(url, { ...fixed, ...signatures }, message, Client, signal))
        : failed(url);
    return { request, ...end, duration: Math.round(performance.now() - startedAt) };
  };

  async function exchange(
    url: URL,
    headers: Readonly<Record<string, string>>,
    { body }: WebhookMessage,
    Client: ClientClass,
    signal: AbortSignal,
  ): Promise<End> {
    const client = await connected(Client, connect, url, signal);
    try {
      const head = await client.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers,
        body,
        signal,
        reset: true,
      });
      const failure = failureOfAnswer(head);
      return {
        answer: answerOf(head, await beginningOf(head.body)),
        fault: failure?.fault ?? null,
        detail: failure?.detail ?? '',
        retryAfter: retryAfterOf(head, clock.now()),
      };
    } finally {
      await client.destroy();
    }
  }
}

/** Loaded with the first webhook: it needs a tenth of the time and of the memory of a start. */
const undici = () => import('undici');
type ClientClass = typeof Client;

/** A client with a connection that is already made. It never makes another one. */
async function connected(Client: ClientClass, connect: Connect, url: URL, signal: AbortSignal): Promise<Client> {
  const socket = await connect(url, signal);
  // Until undici listens.
  socket.on('error', () => undefined);
  return new Client(url.origin, {
    // The time is limited for all steps together.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_, done) {
      // undici does not expect the answer within the call.
      setImmediate(() => (socket.destroyed ? done(new FailedAttempt(cutOff), null) : done(null, socket)));
    },
  });
}

function failed({ fault, detail }: Failure): End {
  return { answer: null, fault, detail, retryAfter: null };
}

/** Ends the work when the time is over, or when `stop` says so. */
async function within(
  milliseconds: number,
  stop: Parameters<SendWebhook>[1],
  work: (signal: AbortSignal) => Promise<End>,
): Promise<End> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new FailedAttempt(tooLate(milliseconds))), milliseconds);
  const end = () => ending.abort(stop.reason);
  stop.addEventListener('abort', end);
  try {
    return await work(ending.signal);
  } catch (error) {
    stop.throwIfAborted();
    return failed(failureOf(ending.signal.aborted ? ending.signal.reason : error));
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
  }
}

function tooLate(milliseconds: number): Failure {
  return { fault: 'timeout', detail: `The host did not answer within ${milliseconds / 1000} seconds.` };
}
