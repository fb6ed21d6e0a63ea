import { z } from 'zod';
import { isWithoutNul, nulFault } from './fields.ts';

const exampleCursor = '1042';
const limits = { default: 20, most: 100 };

/** The parameters of a list that is read in pages: `limit` and `cursor`. */
export const pageQuery = {
  limit: z
    .string()
    .optional()
    .transform((value, context) => {
      const number = value === undefined ? limits.default : /^\d{1,3}$/.test(value) ? Number(value) : 0;
      if (number >= 1 && number <= limits.most) return number;
      context.addIssue(`It must be a whole number from 1 to ${limits.most}.`);
      return z.NEVER;
    })
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: limits.most,
      description: `Items on a page; ${limits.default} by default.`,
      example: 20,
    }),
  cursor: z.string().max(2_000).refine(isWithoutNul, nulFault).optional().meta({
    description: 'The `next_cursor` of the previous page. Without it, the first page.',
    example: exampleCursor,
  }),
};

/** Returns a page of a list. `next` is the cursor of the page after it, `null` after the last one. */
export function pageAnswer<Item>(data: Item[], next: string | null) {
  return { success: true as const, data, next_cursor: next };
}

/** The schema of `pageAnswer`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    success: z.literal(true),
    data: z.array(item),
    next_cursor: z.string().nullable().meta({
      description:
        'Send it as `cursor` to get the next page. Null after the last page. A page can be short or empty, and still not be the last.',
      example: exampleCursor,
    }),
  });
}
