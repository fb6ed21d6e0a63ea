import { systemClock } from '../../adapters/node/clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { signed } from '../../adapters/webhooks/signatures.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { rest } from './acting.ts';
import type { Answer, Api } from './api.ts';
import { colored, note, printJson, say } from './output.ts';
import { Stop } from './stop.ts';

/** Milliseconds between two looks. All plans allow so many calls. */
const pause = 5000;
/** How long a list may lag behind, in milliseconds: see the API reference. */
const lag = 60_000;
const patience = 30_000;
/** The most deliveries of one look. */
const most = 1000;

/** A secret for one run of the program. */
export function newSecret(): string {
  return mintWebhookSecret(systemSecrets);
}

interface Listening {
  readonly webhook: string;
  readonly forward: string;
  readonly secret: string;
  readonly json: boolean;
  /** Ends the work. */
  readonly stop: AbortSignal;
}

/**
 * Sends every new delivery of a webhook also to a local server, signed with `secret`. The server of Latchkey needs no
 * way to reach this computer.
 */
export async function listen(api: Api, { webhook, forward, secret, json, stop }: Listening): Promise<void> {
  const path = `/api/webhooks/${encodeURIComponent(webhook)}/deliveries`;
  const before = ({ created_at: at }: Answer) => new Date(Date.parse(at) - lag).toISOString();
  const [newest] = await api.list(path, {}, 1);
  let from: string | undefined = newest && before(newest);
  /** Those that are not new, because a list contains the last ones again. */
  const seen = new Set<number>();
  if (newest) for (const { id } of await api.list(path, { from }, most)) seen.add(id);
  note('Ready.');
  while (!stop.aborted) {
    const found = await patient(stop, () => api.list(path, { from }, most));
    for (const { id } of found.toReversed()) {
      if (seen.has(id) || stop.aborted) continue;
      seen.add(id);
      const { delivery } = await patient(stop, () => api.call(`${path}/${id}`));
      const result = await forwarded(delivery, forward, secret);
      from = before(delivery);
      if (json) printJson({ delivery: id, event: delivery.event, ...result });
      else say(`${delivery.event}  ${delivery.event_id}  ${shown(result)}`);
    }
    await rest(pause, stop);
  }
}

interface Result {
  readonly status: number | null;
  readonly fault: string | null;
}

async function forwarded({ event_id: id, body }: Answer, url: string, secret: string): Promise<Result> {
  const headers = {
    'content-type': 'application/json',
    ...signed({ id, at: systemClock.now(), secrets: [secret], body }),
  };
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, fault: null };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { status: null, fault: cause?.code ?? message };
  }
}

function shown({ status, fault }: Result): string {
  if (status === null) return colored('red', fault ?? 'failed');
  return colored(status >= 200 && status < 300 ? 'green' : 'yellow', String(status));
}

/** Goes on after a failure of the network or the server, which may last for a while. */
async function patient<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let wait = pause; ; wait = Math.min(wait * 2, 60_000)) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof Stop && (error.exit === 'failed' || error.advice?.startsWith('Wait'));
      if (!isPassing || stop.aborted) throw error;
      note(`${error.message} Trying again.`);
      await rest(wait, stop);
    }
  }
}
