import { systemClock } from '../../adapters/node/clock.ts';
import { signed } from '../../adapters/webhooks/signatures.ts';
import { environment } from './environment.ts';
import { colored, note, printJson, say } from './output.ts';
import { within } from './within.ts';

const usualPatience = 30_000;

/** An event with its body. */
export interface Forwarded {
  /** The id of the delivery. */
  readonly id: number;
  readonly event: string;
  readonly event_id: string;
  readonly body: string;
}

/** The address to which events are forwarded, and how. */
export interface Forwarding {
  /** The address of the local server. */
  readonly forward: string;
  /** It signs the events. */
  readonly secret: string;
  readonly json: boolean;
  /** Ends the work. */
  readonly stop: AbortSignal;
}

/** The webhook whose events are forwarded. */
export interface Source {
  readonly id: number;
  /** `null`: it is a listener. */
  readonly url: string | null;
}

/** The response of the local server. */
export interface Result {
  readonly status: number | null;
  /** Why there was no answer. */
  readonly fault: string | null;
}

/** Sends an event to the local server, signed like those of Latchkey. */
export async function forwarded(
  { event_id: id, body }: Forwarded,
  { forward, secret, stop }: Forwarding,
  patience = usualPatience,
): Promise<Result> {
  const headers = {
    'content-type': 'application/json',
    ...signed({ id, at: systemClock.now(), secrets: [secret], body }),
  };
  try {
    return await within(patience, stop, async (signal) => {
      const response = await fetch(forward, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.body?.cancel();
      return { status: response.status, fault: null };
    });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { status: null, fault: cause?.code ?? message };
  }
}

/** Prints the facts that a person needs when events begin to arrive. */
export function announce(webhook: Source, { forward, secret, json }: Forwarding): void {
  const isListener = webhook.url === null;
  // It may be the secret of a real receiver, so it is not printed.
  const isGiven = environment.LATCHKEY_WEBHOOK_SECRET === secret;
  if (json) printJson({ [isListener ? 'listener' : 'webhook']: webhook.id, ...(!isGiven && { secret }) });
  note(`${isListener ? 'Listener' : 'Webhook'} ${webhook.id}`);
  note(isGiven ? 'Signed with the secret in LATCHKEY_WEBHOOK_SECRET' : `Signed with ${secret}`);
  note(`Forwarding new events to ${forward}. Press Ctrl+C to stop.`);
  note('Ready.');
}

/** Prints a line about an event. */
export function report({ id, event, event_id }: Forwarded, result: Result, json: boolean): void {
  if (json) printJson({ delivery: id, event, ...result });
  else say(`${event}  ${event_id}  ${shown(result)}`);
}

function shown({ status, fault }: Result): string {
  if (status === null) return colored('red', fault ?? 'failed');
  return colored(status >= 200 && status < 300 ? 'green' : 'yellow', String(status));
}
