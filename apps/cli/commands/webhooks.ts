import type { Command } from 'commander';
import { calling, show } from '../acting.ts';
import type { Api } from '../api.ts';
import { environment } from '../environment.ts';
import { note, printFacts, printTable, say } from '../output.ts';
import { Stop } from '../stop.ts';

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
            found.map((one) => [
              String(one.id),
              one.url ?? 'listener',
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
      calling<Terms & { url: string; description?: string }>(async ({ post }, options) => {
        const { url, description } = options;
        const { webhook } = await post('/api/webhooks', { body: { url, ...termsOf(options), description } });
        show(options, webhook, () => {
          printFacts([
            ['Webhook', String(webhook.id)],
            ['Secret', webhook.secret],
          ]);
          note('Only the page of the webhook shows the secret again.');
        });
      }),
    );
  webhooks
    .command('listen')
    .description('send new events to a server on this computer, until you press Ctrl+C')
    .argument('[webhook]', 'the id of a webhook, to get its events too; default: a new listener')
    .requiredOption('--forward <url>', 'such as http://localhost:4000')
    .option('--events <list>', 'with commas in between; default: all')
    .option('--product <product>', 'only events of this product, by id or slug')
    .action(
      calling<ListenOptions, readonly [string | undefined]>(async (api, options, webhook) => {
        const { forward, events, product } = options;
        if (!/^https?:/.test(forward) || !URL.canParse(forward)) {
          throw new Stop('wrongUsage', `${forward} is no address such as http://localhost:4000.`);
        }
        if (webhook !== undefined && (events !== undefined || product !== undefined)) {
          throw new Stop(
            'wrongUsage',
            'A webhook has its events and product already. Leave out --events and --product.',
          );
        }
        const given = environment.LATCHKEY_WEBHOOK_SECRET || undefined;
        const ending = new AbortController();
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
        const common = { forward, json: options.json === true, stop: ending.signal };
        if (webhook === undefined) {
          const { listenWithNew } = await import('../listen.ts');
          return await listenWithNew(api, { ...common, secret: given, terms: termsOf(options) });
        }
        const { webhook: found } = await api.get('/api/webhooks/{id}', { path: { id: webhook } });
        const wanted = { ...common, secret: given ?? (await newSecret()) };
        if (found.url === null) return await (await import('../listen.ts')).listen(api, found, wanted);
        const { copyDeliveries } = await import('../copy-deliveries.ts');
        await copyDeliveries(api, found, wanted);
      }),
    );
  webhooks
    .command('trigger')
    .description('send a sample of an event to a webhook')
    .usage('[options] [webhook] <event>')
    .argument('<event...>', 'such as license.issued; before it, the id of a webhook; default: your only listener')
    .action(
      calling<object, readonly [readonly string[]]>(async (api, options, words) => {
        const event = words.at(-1) ?? '';
        if (words.length > 2) throw new Stop('wrongUsage', 'Name one webhook and one event.');
        const id = words.length === 2 ? words[0] : undefined;
        if (id === undefined && /^\d+$/.test(event)) {
          const advice = `Name it after the webhook: latchkey webhooks trigger ${event} license.issued`;
          throw new Stop('wrongUsage', 'The event is missing.', advice);
        }
        const path = { id: id ?? (await onlyListener(api)) };
        const { delivery } = await api.post('/api/webhooks/{id}/test', { path, body: { event } });
        show(options, delivery, () => say(`Delivery ${delivery.id} is on its way.`));
      }),
    );
  webhooks
    .command('resend')
    .description('send a delivery again')
    .argument('<webhook>', 'its id')
    .argument('<delivery>', 'its id, as "listen" and the page of the webhook show it')
    .action(
      calling<object, readonly [string, string]>(async ({ post }, options, id, sent) => {
        const path = { id, delivery: sent };
        const { delivery } = await post('/api/webhooks/{id}/deliveries/{delivery}/redeliver', { path });
        show(options, delivery, () => say(`Delivery ${delivery.id} is on its way again.`));
      }),
    );
}

interface Terms {
  readonly events?: string;
  readonly product?: string;
}

interface ListenOptions extends Terms {
  readonly forward: string;
}

/** Which events a new webhook gets, as the API takes it. */
function termsOf({ events, product }: Terms) {
  return {
    events: events === undefined ? '*' : events.split(',').map((one) => one.trim()),
    product,
  };
}

/** A secret for one run of the program: that of a webhook is shown only once. */
async function newSecret(): Promise<string> {
  const [{ mintWebhookSecret }, { systemSecrets }] = await Promise.all([
    import('../../../core/webhooks/secret.ts'),
    import('../../../adapters/node/secrets.ts'),
  ]);
  return mintWebhookSecret(systemSecrets);
}

/** The id of the caller's listener, if there is exactly one. */
async function onlyListener({ list }: Pick<Api, 'list'>): Promise<string> {
  const listeners = (await list('/api/webhooks', { query: { mine: 'true' } }, 1000)).filter(({ url }) => url === null);
  const [first, second] = listeners;
  if (first === undefined) {
    const advice =
      'Start one with "latchkey webhooks listen --forward http://localhost:4000", or name a webhook before the event.';
    throw new Stop('wrongUsage', 'You have no listener.', advice);
  }
  if (second === undefined) return String(first.id);
  const ids = listeners.map(({ id }) => id).join(', ');
  throw new Stop('wrongUsage', `You have several listeners: ${ids}.`, 'Name one of them before the event.');
}
