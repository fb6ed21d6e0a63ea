import { rest } from './acting.ts';
import type { Api } from './api.ts';
import { announce, type Forwarding, forwarded, report, type Source } from './forward.ts';
import { pauseAfter, shortest } from './pace.ts';
import { patient } from './patient.ts';

/** How long a list may lag behind, in milliseconds: see the API reference. */
const lag = 60_000;
/** The most deliveries of one look. */
const most = 1000;

/**
 * Sends every new delivery of a webhook with an address also to a local server, signed with `secret`. The server of Latchkey
 * needs no way to reach this computer.
 */
export async function copyDeliveries(api: Api, webhook: Source, wanted: Forwarding): Promise<void> {
  const { json, stop } = wanted;
  const list = '/api/webhooks/{id}/deliveries';
  const path = { id: String(webhook.id) };
  const before = ({ created_at: at }: { readonly created_at: string }) => new Date(Date.parse(at) - lag).toISOString();
  const [newest] = await api.list(list, { path }, 1);
  let from: string | undefined = newest && before(newest);
  /** Those that are not new, because a list contains the last ones again. */
  const seen = new Set<number>();
  if (newest) for (const { id } of await api.list(list, { path, query: { from } }, most)) seen.add(id);
  announce(webhook, wanted);
  let lastEvent = performance.now();
  while (!stop.aborted) {
    const found = (await patient(shortest, stop, () => api.list(list, { path, query: { from } }, most))) ?? [];
    for (const { id } of found.toReversed()) {
      if (seen.has(id) || stop.aborted) continue;
      seen.add(id);
      const delivery = String(id);
      const one = await patient(shortest, stop, () => api.get(`${list}/{delivery}`, { path: { ...path, delivery } }));
      if (one === undefined) return;
      lastEvent = performance.now();
      const result = await forwarded(one.delivery, wanted);
      if (stop.aborted) return;
      from = before(one.delivery);
      report(one.delivery, result, json);
    }
    await rest(pauseAfter(api.rateLimit(), performance.now() - lastEvent), stop);
  }
}
