import type { Order } from '../purchases/order.ts';

/** Writes orders as a file for spreadsheets and bookkeeping, in pieces. A text never becomes a formula. */
export type WriteOrders = (orders: AsyncIterable<readonly Order[]>) => AsyncIterable<string>;
