import type { Command } from 'commander';
import { calling, show, time, wholeNumber } from '../acting.ts';
import { day, money, note, printFacts, printTable } from '../output.ts';

/** Orders of own products. */
export function ordersCommand(program: Command): void {
  const orders = program.command('orders').description('list and show orders of your products');
  orders
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
  orders
    .command('show')
    .description('show an order, with its invoice and credit notes')
    .argument('<id>', 'the id of the order')
    .action(
      calling(async ({ get }, options, id: string) => {
        const { order } = await get('/api/orders/{id}', { path: { id } });
        show(options, order, () =>
          printFacts([
            ['Order', String(order.id)],
            ['Status', order.status],
            ['Product', order.product.slug],
            ['Buyer', order.buyer.email],
            ['Amount', money(order.amount, order.currency)],
            ['Made', day(order.created_at)],
            ...(order.invoice === null ? [] : [['Invoice', `${order.invoice.number}: ${order.invoice.url}`] as const]),
            ...order.credit_notes.map((one) => ['Credit note', `${one.number}: ${one.pdf_url}`] as const),
          ]),
        );
      }),
    );
}
