import type { Command } from 'commander';
import type { ItemOf } from '../../sdk/account/types.ts';
import { calling, confirmed, show, wholeNumber } from '../acting.ts';
import { colored, day, lastDay, money, note, printFacts, printTable, say } from '../output.ts';
import { Stop } from '../stop.ts';

type Coupon = ItemOf<'/api/coupons'>;

interface Terms {
  readonly code?: string;
  readonly percent?: number;
  readonly amount?: number;
  readonly currency?: string;
  readonly product?: string;
  readonly offer?: string;
  readonly payments?: string;
  readonly starts?: string;
  readonly ends?: string;
  readonly uses?: number;
  readonly perBuyer?: number;
  readonly ownersOf?: string;
}

/** Coupons of own products. */
export function couponsCommand(program: Command): void {
  const coupons = program.command('coupons').description('list, make and end coupons for your products');
  coupons
    .command('list')
    .description('list your coupons, newest first')
    .option('--limit <number>', 'the most coupons to list', wholeNumber(1), 30)
    .action(
      calling<{ limit: number }>(async ({ list }, options) => {
        const found = await list('/api/coupons', {}, options.limit);
        show(options, found, () => {
          if (found.length === 0) return note('There are no coupons.');
          printTable(
            ['ID', 'CODE', 'STATUS', 'TAKES OFF', 'USES', 'VALID UNTIL'],
            found.map((one) => [
              String(one.id),
              one.code,
              statusOf(one),
              offOf(one),
              usesOf(one),
              one.ended_at === null ? lastDay(one.ends_at) : day(one.ended_at),
            ]),
          );
        });
      }),
    );
  coupons
    .command('show')
    .description('show a coupon')
    .argument('<id>', 'the id of the coupon')
    .action(
      calling(async ({ get }, options, id: string) => {
        const { coupon } = await get('/api/coupons/{id}', { path: { id } });
        show(options, coupon, () => print(coupon));
      }),
    );
  coupons
    .command('new')
    .description('make a coupon: its terms never change')
    .option('--code <code>', 'default: one that nobody guesses')
    .option('--percent <number>', 'how much of the price it takes off', wholeNumber(1))
    .option('--amount <number>', 'or the amount that it takes off, in the smallest unit, such as cents', wholeNumber(1))
    .option('--currency <code>', 'of the amount, such as eur; default: usd')
    .option('--product <product>', 'only this product, by id or slug; default: all')
    .option('--offer <offer>', 'only this offer of the product, by its slug')
    .option('--payments <which>', 'of a subscription: first, every or a number; default: first')
    .option('--starts <time>', 'such as 2031-11-21T00:00:00Z')
    .option('--ends <time>', 'from then on it is not valid: the midnight after its last day')
    .option('--uses <number>', 'the most uses', wholeNumber(1))
    .option('--per-buyer <number>', 'the most uses by one buyer', wholeNumber(1))
    .option('--owners-of <product>', 'only for accounts that have bought this product')
    .action(
      calling<Terms>(async ({ post }, options) => {
        const { product, offer, payments } = options;
        if ((options.percent === undefined) === (options.amount === undefined)) {
          throw new Stop('wrongUsage', 'Give either --percent or --amount.');
        }
        if (options.currency !== undefined && options.amount === undefined) {
          throw new Stop('wrongUsage', 'Only an --amount has a --currency.');
        }
        if (offer !== undefined && product === undefined) {
          throw new Stop('wrongUsage', 'Name the product of the offer with --product.');
        }
        const body = {
          code: options.code,
          percent_off: options.percent,
          amount_off: options.amount,
          ...(options.amount !== undefined && { currency: (options.currency ?? 'usd').toLowerCase() }),
          ...(payments !== undefined && { payments: paymentsOf(payments) }),
          ...(product !== undefined && { products: [{ product, offer }] }),
          starts_at: options.starts,
          ends_at: options.ends,
          max_uses: options.uses,
          max_uses_per_buyer: options.perBuyer,
          owners_of: options.ownersOf,
        };
        const { coupon } = await post('/api/coupons', { body });
        show(options, coupon, () => print(coupon));
      }),
    );
  coupons
    .command('end')
    .description('end a coupon: nobody can use it any more')
    .argument('<id>', 'the id of the coupon')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ yes?: boolean }, readonly [string]>(async ({ post }, options, id) => {
        await confirmed(`End the coupon ${id}?`, options.yes);
        const { coupon } = await post('/api/coupons/{id}/end', { path: { id }, body: {} });
        show(options, coupon, () => say(`The coupon ${coupon.code} is ended.`));
      }),
    );
}

/** The server says what is wrong with other texts. */
function paymentsOf(text: string): 'first' | 'every' | number {
  return text === 'first' || text === 'every' ? text : Number(text);
}

function print(one: Coupon): void {
  const products = one.products.map(({ product, offer }) =>
    offer === null ? product.slug : `${product.slug}: ${offer}`,
  );
  printFacts([
    ['Coupon', String(one.id)],
    ['Code', one.code],
    ['Status', statusOf(one)],
    ['Takes off', offOf(one)],
    ['For', products.length === 0 ? 'all products' : products.join(', ')],
    ['Payments', String(one.payments)],
    ['Uses', usesOf(one)],
    ['Starts', day(one.starts_at, 'at once')],
    ['Valid until', lastDay(one.ends_at)],
  ]);
}

function offOf({ percent_off: percent, amount_off: amount, currency }: Coupon): string {
  return percent === null ? money(amount ?? 0, currency ?? 'usd') : `${percent} %`;
}

function usesOf({ uses, max_uses: most }: Coupon): string {
  return most === null ? String(uses) : `${uses} of ${most}`;
}

function statusOf({ status }: Coupon): string {
  return status === 'valid' ? colored('green', status) : status;
}
