import type { Command } from 'commander';
import { calling, show } from '../acting.ts';
import type { Answer } from '../api.ts';
import { environment } from '../environment.ts';
import { note, printFacts, printTable, say } from '../output.ts';

import { Stop } from '../stop.ts';

const pathOf = (id: string, more = '') => `/api/webhooks/${encodeURIComponent(id)}${more}`;

/** Webhooks of own products. */
export function webhooksCommand(program: Command): void {
  const webhooks = program.command('webhooks').description('list, create and try webhooks');
  webhooks
    .command('list')
    .description('list your webhooks')
    .action(
      calling(async ({ list }, options) => {
        const found = await list('/api/webhooks', {}, 1000);
        show(options, found, () => {
          if (found.length === 0) return note('There are no webhooks.');
          printTable(
            ['ID', 'URL', 'EVENTS', 'STATUS', 'MODE'],
            found.map((one: Answer) => [
              String(one.id),
              one.url,
              one.events === '*' ? 'all' : one.events.join(', '),
              one.status,
              one.livemode ? 'live' : 'test',
            ]),
          );
        });
      }),
    );
  webhooks
    .command('create')
    .description('add a webhook, and show its secret once')
    .requiredOption('--url <url>', 'a public https address that receives the events')
    .option('--events <list>', 'with commas in between; default: all')
    .option('--product <product>', 'only events of this product, by id or slug')
    .option('--description <text>', 'your own note')
    .action(
      calling<{ url: string; events?: string; product?: string; description?: string }>(async ({ call }, options) => {
        const { url, events, product, description } = options;
        const { webhook } = await call('/api/webhooks', {
          method: 'POST',
          json: {
            url,
            events: events === undefined ? '*' : events.split(',').map((one) => one.trim()),
            ...(product !== undefined && { product }),
            ...(description !== undefined && { description }),
          },
        });
        show(options, webhook, () => {
          printFacts([
            ['Webhook', String(webhook.id)],
            ['Secret', webhook.secret],
          ]);
          note('The secret is not shown again.');
        });
      }),
    );
  webhooks
    .command('listen')
    .description('also send the new events of a webhook to a server on this computer, until you press Ctrl+C')
    .argument('<webhook>', 'its id')
    .requiredOption('--forward <url>', 'such as http://localhost:4000')
    .action(
      calling<{ forward: string }, readonly [string]>(async (api, options, webhook) => {
        const { forward } = options;
        if (!URL.canParse(forward))
          throw new Stop('wrongUsage', `${forward} is no address such as http://localhost:4000.`);
        await api.call(pathOf(webhook));
        // The secret of the webhook is known only to its receiver.
        const { newSecret } = await import('../listen.ts');
        const secret = environment.LATCHKEY_WEBHOOK_SECRET || newSecret();
        const stop = new AbortController();
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
        note(`Signed with ${secret}`);
        note(`Forwarding new events to ${forward}. Press Ctrl+C to stop.`);
        const { listen } = await import('../listen.ts');
        await listen(api, { webhook, forward, secret, json: options.json === true, stop: stop.signal });
      }),
    );
  webhooks
    .command('trigger')
    .description('send a sample of an event to a webhook')
    .argument('<webhook>', 'its id')
    .argument('<event>', 'such as license.issued')
    .action(
      calling<object, readonly [string, string]>(async ({ call }, options, id, event) => {
        const { delivery } = await call(pathOf(id, '/test'), { method: 'POST', json: { event } });
        show(options, delivery, () => say(`Delivery ${delivery.id} is on its way.`));
      }),
    );
}
