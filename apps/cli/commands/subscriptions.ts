import type { Command } from 'commander';
import type { ItemOf } from '../../sdk/account/types.ts';
import { calling, confirmed, type Given, show, wholeNumber } from '../acting.ts';
import type { Api } from '../api.ts';
import { colored, day, money, note, printFacts, printTable, say } from '../output.ts';

type Subscription = ItemOf<'/api/subscriptions'>;

/** Subscriptions of own products. */
export function subscriptionsCommand(program: Command): void {
  const subscriptions = program
    .command('subscriptions')
    .description('list, cancel and resume subscriptions of your products');
  subscriptions
    .command('list')
    .description('list and search subscriptions, newest first')
    .argument('[text]', 'find by buyer, license key or title')
    .option('--product <product>', 'only those of a product, by id or slug')
    .option('--status <status>', 'active, past_due, paused, cancelled or ended')
    .option('--limit <number>', 'the most subscriptions to list', wholeNumber(1), 30)
    .action(
      calling<{ product?: string; status?: string; limit: number }, readonly [string | undefined]>(
        async ({ list }, options, search) => {
          const { product, status, limit } = options;
          const found = await list('/api/subscriptions', { query: { search, product, status } }, limit);
          show(options, found, () => {
            if (found.length === 0) return note('There are no such subscriptions.');
            printTable(
              ['SUBSCRIPTION', 'STATUS', 'PRODUCT', 'OFFER', 'BUYER', 'PRICE', 'PAID UNTIL'],
              found.map((one) => [
                String(one.subscription_id),
                statusOf(one),
                one.product.slug,
                one.offer,
                one.buyer.email,
                priceOf(one),
                day(one.paid_until),
              ]),
            );
          });
        },
      ),
    );
  subscriptions
    .command('show')
    .description('show a subscription')
    .argument('<id>', 'the id of its first order')
    .action(
      calling(async ({ get }, options, id: string) => {
        const { subscription } = await get('/api/subscriptions/{id}', { path: { id } });
        show(options, subscription, () => print(subscription));
      }),
    );
  subscriptions
    .command('cancel')
    .description('cancel a subscription: it ends with the time that is paid')
    .argument('<id>', 'the id of its first order')
    .option('--reason <text>', 'why; kept in the history')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ reason?: string; yes?: boolean }, readonly [string]>(async (api, options, id) => {
        await confirmed(`Cancel the subscription ${id}?`, options.yes);
        await change(api, options, id, 'cancel');
      }),
    );
  subscriptions
    .command('resume')
    .description('take back that a subscription was cancelled')
    .argument('<id>', 'the id of its first order')
    .option('--reason <text>', 'why; kept in the history')
    .action(calling<{ reason?: string }, readonly [string]>((api, options, id) => change(api, options, id, 'resume')));
}

async function change(
  { post }: Api,
  options: Given<{ reason?: string }>,
  id: string,
  act: 'cancel' | 'resume',
): Promise<void> {
  const { reason } = options;
  const { subscription } = await post(`/api/subscriptions/{id}/${act}`, { path: { id }, body: { reason } });
  const end = subscription.is_cancelled ? 'ends' : 'is paid until';
  show(options, subscription, () => say(`Subscription ${id} ${end} ${day(subscription.paid_until)}.`));
}

function print(one: Subscription): void {
  printFacts([
    ['Subscription', String(one.subscription_id)],
    ['Status', statusOf(one)],
    ['Product', `${one.product.title} (${one.product.slug})`],
    ['Offer', one.next_offer === null ? one.offer : `${one.offer}, then ${one.next_offer}`],
    ['Price', priceOf(one)],
    ['Paid until', day(one.paid_until)],
    ['Buyer', [one.buyer.name, one.buyer.email].filter(Boolean).join(', ')],
    ['License', one.license_key ?? '–'],
    ['Paid through', one.provider],
    ['Began', day(one.created_at)],
  ]);
}

function priceOf({ amount, currency, interval_months: months }: Subscription): string {
  return `${money(amount, currency)} / ${months === 1 ? 'month' : `${months} months`}`;
}

function statusOf({ status, is_cancelled: isCancelled }: Subscription): string {
  if (status === 'ended') return status;
  if (isCancelled) return colored('yellow', 'cancelled');
  return colored(status === 'active' ? 'green' : 'yellow', status);
}
