import type { Database } from '../../adapters/sql/database.ts';

/** The ids in the examples of the API reference. */
const exampleWebhook = { id: 5, delivery: 812 } as const;

/** Leaves only the webhook of the examples, with one delivery that has arrived. A listener if `isListener` is true. */
export async function prepareWebhook(
  { write }: Pick<Database, 'write'>,
  ownerId: number,
  now: number,
  isListener = false,
): Promise<void> {
  await write(async (trx) => {
    for (const table of ['webhook_attempts', 'webhook_deliveries', 'webhook_events', 'webhook_endpoints']) {
      await trx(table).delete();
    }
    const times = { created_at: now, updated_at: now, on_since: now };
    await trx('webhook_endpoints').insert({
      id: exampleWebhook.id,
      owner_id: ownerId,
      is_live: 1,
      url: isListener ? '' : 'https://hooks.example.com/latchkey',
      listened_at: isListener ? now : null,
      description: 'Billing',
      events: '*',
      secret: 'sealed',
      ...times,
    });
    await trx('webhook_events').insert({ id: 1, name: 'evt_1', body: '{}', created_at: now });
    await trx('webhook_deliveries').insert({
      id: exampleWebhook.delivery,
      endpoint_id: exampleWebhook.id,
      event_id: 1,
      type: 'license.activated',
      state: 'delivered',
      attempts: 1,
      made: 1,
      attempted_at: now,
      created_at: now,
    });
    await trx('webhook_attempts').insert({
      delivery_id: exampleWebhook.delivery,
      number: 1,
      at: now,
      request: JSON.stringify({ url: 'https://hooks.example.com/latchkey', headers: { 'webhook-id': 'evt_1' } }),
      answer: JSON.stringify({ status: 204, headers: {}, body: '' }),
      detail: '',
      duration: 12,
    });
  });
}
