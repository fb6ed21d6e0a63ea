import { z } from 'zod';

/** The discount of an order by a coupon, as answers about orders have it. */
export const discountOf = z
  .object({ coupon: z.string(), amount: z.int() })
  .nullable()
  .meta({
    description: 'The code of the coupon, and what it took off the price, in the smallest unit. Null without a coupon.',
    example: { coupon: 'LAUNCH20', amount: 1225 },
  });
