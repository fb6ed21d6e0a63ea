import { z } from 'zod';
import { isBundle, type Order, orderStates } from '../../../../core/purchases/order.ts';
import { ofPart } from '../../../webhook-body.ts';

const part = z.object({
  id: z.int().meta({ example: 1043 }),
  product: z.object({ id: z.int(), title: z.string(), slug: z.string() }).meta({
    example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' },
  }),
  offer: z.string().nullable().meta({ description: 'The slug of its offer.', example: null }),
  status: z.enum(orderStates).meta({ description: 'What the payment of the order means for it.', example: 'paid' }),
  license_key: z.string().nullable().meta({ description: 'Null until the order is paid.', example: null }),
  price: z.int().meta({ description: 'Its share of the price of the order.', example: 1500 }),
  amount_refunded: z.int().meta({ description: 'Its share of what was refunded.', example: 0 }),
});

/** What an order of a bundle contains, for the seller and for the buyer. */
export const partsOfOrder = z.array(part).nullable().meta({
  description:
    'Only of a bundle: each product in it, with its license and its share of the price. Null for other orders.',
  example: null,
});

/** `parts`: those of this order, and possibly of others. */
export function renderParts(order: Order, parts: readonly Order[]): z.output<typeof partsOfOrder> {
  if (!isBundle(order)) return null;
  return parts.filter(({ partOf }) => partOf === order.id).map(ofPart);
}
