import { systemSecrets } from '../../adapters/node/secrets.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { rest } from './acting.ts';
import type { Answer, Api } from './api.ts';
import { forwarded, report } from './forward.ts';
import { note } from './output.ts';
import { patient } from './patient.ts';

/** Milliseconds between two looks. All plans allow so many calls. */
const pause = 5000;
/** How long a list may lag behind, in milliseconds: see the API reference. */
const lag = 60_000;
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
    const found = (await patient(pause, stop, () => api.list(path, { from }, most))) ?? [];
    for (const { id } of found.toReversed()) {
      if (seen.has(id) || stop.aborted) continue;
      seen.add(id);
      const one: Answer = await patient(pause, stop, () => api.call(`${path}/${id}`));
      if (one === undefined) return;
      const result = await forwarded(one.delivery, forward, secret, stop);
      if (stop.aborted) return;
      from = before(one.delivery);
      report(one.delivery, result, json);
    }
    await rest(pause, stop);
  }
}
