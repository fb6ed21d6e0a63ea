import type { Command } from 'commander';
import { calling, show, time, wholeNumber } from '../acting.ts';
import { day, money, note, printTable } from '../output.ts';

/** Orders of own products. */
export function ordersCommand(program: Command): void {
  program
    .command('orders')
    .description('list orders of your products')
    .command('list')
    .description('list orders, newest first')
    .argument('[text]', 'find by buyer, license key or title')
    .option('--product <product>', 'only those of a product, by id or slug')
    .option('--status <status>', 'such as paid or refunded')
    .option('--since <day>', 'only those made on this day or later', time)
    .option('--limit <number>', 'the most orders to list', wholeNumber(1), 30)
    .action(
      calling<{ product?: string; status?: string; since?: string; limit: number }, readonly [string | undefined]>(
        async ({ list }, options, search) => {
          const { product, status, since, limit } = options;
          const found = await list('/api/orders', { query: { search, product, status, from: since } }, limit);
          show(options, found, () => {
            if (found.length === 0) return note('There are no such orders.');
            printTable(
              ['ORDER', 'STATUS', 'PRODUCT', 'BUYER', 'AMOUNT', 'MADE'],
              found.map((one) => [
                String(one.id),
                one.status,
                one.product.slug,
                one.buyer.email,
                money(one.amount, one.currency),
                day(one.created_at),
              ]),
            );
          });
        },
      ),
    );
}
