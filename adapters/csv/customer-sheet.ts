import { iso } from '../../core/iso.ts';
import type { Customer, Kept, WriteCustomers } from '../../core/ports/customers.ts';
import { inMainUnit } from './order-sheet.ts';
import { sheetWriter } from './sheet.ts';

interface Line {
  readonly customer: Customer;
  readonly kept: Kept;
}

/** The columns of the file. Amounts are as in the file of orders. A customer has a line for each currency. */
const columns = {
  email: ({ customer }) => customer.email,
  name: ({ customer }) => customer.name ?? '',
  orders: ({ customer }) => String(customer.orders),
  licenses: ({ customer }) => String(customer.licenses),
  currency: ({ kept }) => kept.currency.toUpperCase(),
  kept: ({ kept }) => inMainUnit(kept.amount, kept.currency),
  first_order_at: ({ customer }) => iso(customer.firstOrderAt),
  last_order_at: ({ customer }) => iso(customer.lastOrderAt),
  last_visit_at: ({ customer }) => (customer.lastVisitAt === null ? '' : iso(customer.lastVisitAt)),
  may_have_more: ({ customer }) => (customer.mayHaveMore ? 'yes' : ''),
} as const satisfies Record<string, (line: Line) => string>;

const writeLines = sheetWriter(columns);

export const writeCustomers: WriteCustomers = (customers) => writeLines(linesOf(customers));

async function* linesOf(customers: AsyncIterable<readonly Customer[]>): AsyncGenerator<readonly Line[]> {
  for await (const some of customers) {
    yield some.flatMap((customer) => customer.kept.map((kept) => ({ customer, kept })));
  }
}
