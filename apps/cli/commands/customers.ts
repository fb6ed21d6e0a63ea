import type { Command } from 'commander';
import { calling, show, wholeNumber } from '../acting.ts';
import { day, money, note, printTable } from '../output.ts';

/** Who bought own products. */
export function customersCommand(program: Command): void {
  program
    .command('customers')
    .description('list the customers of your products')
    .command('list')
    .description('list customers, by their addresses')
    .argument('[text]', 'find by the start of the address')
    .option('--limit <number>', 'the most customers to list', wholeNumber(1), 30)
    .action(
      calling<{ limit: number }, readonly [string | undefined]>(async ({ list }, options, search) => {
        const found = await list('/api/customers', { query: { search } }, options.limit);
        show(options, found, () => {
          if (found.length === 0) return note('There are no such customers.');
          printTable(
            ['CUSTOMER', 'ORDERS', 'LICENSES', 'PAID', 'LAST ORDER', 'LAST VISIT'],
            found.map((one) => {
              const more = one.may_have_more ? '+' : '';
              return [
                one.email,
                `${one.orders}${more}`,
                `${one.licenses}${more}`,
                one.kept.map(({ currency, amount }) => `${money(amount, currency)}${more}`).join(', '),
                day(one.last_order_at),
                day(one.last_visit_at),
              ];
            }),
          );
        });
      }),
    );
}
