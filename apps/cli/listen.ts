import { rest } from './acting.ts';
import type { Api } from './api.ts';
import { announce, type Forwarded, type Forwarding, forwarded, type Result, report, type Source } from './forward.ts';
import { note } from './output.ts';
import { pauseAfter, shortest } from './pace.ts';
import { patient } from './patient.ts';
import { Stop } from './stop.ts';

const fetchPath = '/api/webhooks/{id}/fetch';
/** The most events of one call. */
const limit = 50;
/** How long the last call may take, in milliseconds. */
const farewell = 5_000;

interface WantedOfNew extends Omit<Forwarding, 'secret'> {
  /** Instead of the secret of the listener. */
  readonly secret: string | undefined;
  /** The events and the product of the listener, as the API takes them. */
  readonly terms: { readonly events: string | readonly string[]; readonly product: string | undefined };
}

/** Adds a listener and listens with it. Removes it at the end. */
export async function listenWithNew(api: Api, { secret, terms, ...wanted }: WantedOfNew): Promise<void> {
  const { webhook } = await api.post('/api/webhooks', { body: { ...terms, url: null } });
  try {
    await forwardEvents(api, webhook, { ...wanted, secret: secret ?? webhook.secret });
  } finally {
    const path = { id: String(webhook.id) };
    await api.delete('/api/webhooks/{id}', { path, timeout: farewell }).catch((error) => {
      // It is gone already.
      if (error instanceof Stop && error.exit === 'refused') return;
      note(`The listener ${webhook.id} could not be removed. It goes away by itself in a day or two.`);
    });
  }
}

/** Listens with a listener that exists, and leaves it. What was sent before the end is not sent again the next time. */
export async function listen(api: Api, webhook: Source, wanted: Forwarding): Promise<void> {
  const done = await forwardEvents(api, webhook, wanted);
  if (done.length === 0) return;
  await api
    .post(fetchPath, { path: { id: String(webhook.id) }, body: { done, limit: 1 }, timeout: farewell })
    .catch((error: Error) => note(`${error.message} So the last events will be sent again the next time.`));
}

/**
 * Sends each event of a listener to a local server, in their order. The server of Latchkey needs no way to reach this
 * computer. Returns the deliveries that were sent, but of which the server of Latchkey does not know that yet.
 */
async function forwardEvents(api: Api, webhook: Source, wanted: Forwarding): Promise<readonly number[]> {
  const { forward, json, stop } = wanted;
  announce(webhook, wanted);
  return await forwardAll(api, String(webhook.id), {
    stop,
    send: (one) => forwarded(one, wanted),
    tell(one, result, isFirstFault) {
      report(one, result, json);
      if (isFirstFault) {
        note(`${forward} does not answer. Is your server running?`);
        note(`To get this event again: latchkey webhooks resend ${webhook.id} ${one.id}`);
      }
    },
  });
}

interface Receiver {
  readonly stop: AbortSignal;
  send(one: Forwarded): Promise<Result>;
  /** `isFirstFault`: the receiver cannot be reached, and could be reached before. */
  tell(one: Forwarded, result: Result, isFirstFault: boolean): void;
}

async function forwardAll(api: Api, id: string, { stop, send, tell }: Receiver): Promise<readonly number[]> {
  /** Sent, but the server does not know it yet. */
  let done: number[] = [];
  let isReached = true;
  let lastEvent = performance.now();
  while (!stop.aborted) {
    const fetched = await patient(shortest, stop, () =>
      api.post(fetchPath, { path: { id }, body: { done, limit }, signal: stop }),
    );
    if (fetched === undefined) return done;
    done = [];
    let areFaults = false;
    if (fetched.data.length > 0) lastEvent = performance.now();
    for (const one of fetched.data) {
      const result = await send(one);
      if (stop.aborted) return done;
      done.push(one.id);
      tell(one, result, result.status === null && isReached);
      isReached = result.status !== null;
      areFaults ||= !isReached;
    }
    // What could not be forwarded can be sent again as soon as the server knows that it was fetched.
    const isUrgent = areFaults || done.length === limit;
    if (!isUrgent) await rest(pauseAfter(api.rateLimit(), performance.now() - lastEvent), stop);
  }
  return done;
}
