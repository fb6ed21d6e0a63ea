import { z } from 'zod';
import { baseCurrency, isCurrency } from '../../../../core/currency.ts';
import { iso } from '../../../../core/iso.ts';
import { couponLimits, couponStates } from '../../../../core/purchases/coupon.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { Coupons, ShownCoupon } from '../../../../core/selling/coupons.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { endTime, isoOrNull, isWithoutNul, missingOr, nulFault, text, timestamp, wholeNumber } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered, type Tag } from '../../route.ts';
import { instant } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';

const tag: Tag = {
  name: 'Coupons',
  description: 'Codes that take something off the prices of your products: those of the mode of the API key.',
};
const reading = { tag, scope: 'marketplace:read' } as const;
const writing = { tag, scope: 'marketplace:write' } as const;

const { code, payments, amount, targets, uses, active } = couponLimits;
const productItem = z.object({ id: z.int(), title: z.string(), slug: z.string() });

const couponItem = z
  .object({
    id: z.int().meta({ example: 12 }),
    code: z.string().meta({ example: 'LAUNCH20' }),
    livemode: z.boolean().meta({ example: true }),
    status: z.enum(couponStates).meta({
      description: '`planned`: it starts later. `over`: its end has come. `ended`: you have ended it.',
      example: 'valid',
    }),
    percent_off: z.int().nullable().meta({ description: 'Null: an amount is taken off.', example: 20 }),
    amount_off: z.int().nullable().meta({
      description: 'In the smallest unit of the currency. Null: a percentage is taken off.',
      example: null,
    }),
    currency: z.string().nullable().meta({ description: 'Only of an amount. ISO 4217, in lower case.', example: null }),
    payments: z.union([z.enum(['first', 'every']), z.int()]).meta({
      description: 'The payments of a subscription that become cheaper. A number counts from the first one on.',
      example: 'first',
    }),
    products: z
      .array(z.object({ product: productItem, offer: z.string().nullable() }))
      .meta({ description: 'Empty: all of your products. `offer`: only that offer of the product.', example: [] }),
    owners_of: productItem.nullable().meta({
      description: 'Only accounts that have bought this product can use the coupon.',
      example: null,
    }),
    of_site: z.boolean().meta({ description: "Whether it is for the site's own products.", example: false }),
    starts_at: timestamp.nullable().meta({ example: null }),
    ends_at: endTime.nullable(),
    max_uses: z.int().nullable().meta({ example: 100 }),
    max_uses_per_buyer: z.int().nullable().meta({ example: 1 }),
    uses: z
      .int()
      .meta({ description: 'The orders that use it now: not those that lapsed or were refunded in full.', example: 7 }),
    created_at: timestamp,
    ended_at: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'AccountCoupon' });

const oneCoupon = z.object({ success: z.literal(true), coupon: couponItem });

function renderCoupon({ coupon, state, targets, ownersOf }: ShownCoupon): z.output<typeof couponItem> {
  const { takesOff } = coupon;
  return {
    id: coupon.id,
    code: coupon.code,
    livemode: coupon.isLive,
    status: state,
    percent_off: 'percent' in takesOff ? takesOff.percent : null,
    amount_off: 'amount' in takesOff ? takesOff.amount : null,
    currency: 'amount' in takesOff ? takesOff.currency : null,
    payments: coupon.payments,
    products: targets.flatMap(({ product, offer }) => (product ? [{ product: { ...product }, offer }] : [])),
    owners_of: ownersOf ? { ...ownersOf } : null,
    of_site: coupon.sellerId === null,
    starts_at: isoOrNull(coupon.startsAt),
    ends_at: isoOrNull(coupon.endsAt),
    max_uses: coupon.mostUses,
    max_uses_per_buyer: coupon.mostPerBuyer,
    uses: coupon.uses,
    created_at: iso(coupon.createdAt),
    ended_at: isoOrNull(coupon.endedAt),
  };
}

function answerWith<Reason extends string>(
  found: ShownCoupon | Refused<Reason>,
): z.output<typeof oneCoupon> | Refused<Reason> {
  return isRefused(found) ? found : { success: true, coupon: renderCoupon(found) };
}

const params = z.object({ id: text(200).meta({ description: 'The id of the coupon.', example: '12' }) });

const whole = (least: number, most: number, description: string, example: number | null) =>
  wholeNumber(least, most).nullable().optional().meta({ description, example });

const time = (description: string, example: string | null) =>
  instant.nullable().optional().meta({ description, example });

const newCoupon = z
  .strictObject({
    code: z
      .string('It must be one text.')
      .max(code.most, `It must have at most ${code.most} characters.`)
      .refine(isWithoutNul, nulFault)
      .optional()
      .meta({
        description: `${code.least} to ${code.most} letters from A to Z, digits, \`-\` and \`_\`; upper and lower case are the same. Without it, a code is made that nobody guesses.`,
        example: 'LAUNCH20',
      }),
    percent_off: whole(1, 100, 'Either this or `amount_off`. Cents that do not divide are for the buyer.', 20),
    amount_off: whole(1, amount, `In the smallest unit of the currency. It needs \`currency\`.`, null),
    currency: z
      .string('It must be one text.')
      .refine(isCurrency, 'It must be a code of ISO 4217 in lower case, in which prices can be set.')
      .nullable()
      .optional()
      .meta({
        description: 'Only of an amount: the coupon applies to prices in this currency. ISO 4217, in lower case.',
        example: null,
      }),
    payments: z
      .union(
        [z.enum(['first', 'every']), z.int().min(2).max(payments)],
        `It must be first, every, or a whole number from 2 to ${payments}.`,
      )
      .optional()
      .meta({
        description:
          'The payments of a subscription that become cheaper. `first` by default. A number counts from the first one on.',
        example: 'first',
      }),
    products: z
      .array(
        z.strictObject({
          product: text(200).meta({ description: 'Id or slug.', example: 'simple-dex' }),
          offer: text(40).nullable().optional().meta({ description: 'Only this offer of it.', example: 'team' }),
        }),
        missingOr('It must be a list.'),
      )
      .max(targets, `It must have at most ${targets} entries.`)
      .optional()
      .meta({ description: 'Without it, the coupon is for all of your products.' }),
    owners_of: text(200).nullable().optional().meta({
      description: 'Id or slug: only accounts that have bought this product can use the coupon.',
      example: null,
    }),
    of_site: z
      .boolean('It must be true or false.')
      .optional()
      .meta({ description: "For administrators: it is for the site's own products.", example: false }),
    starts_at: time('It is not valid before.', null),
    ends_at: time('From then on it is not valid: the midnight after its last day.', '2027-01-01T00:00:00Z'),
    max_uses: whole(
      1,
      uses,
      'Orders that may use it at once. An order that lapses or is refunded in full gives its use back.',
      100,
    ),
    max_uses_per_buyer: whole(1, uses, 'For one account, or one e-mail address without its plus part.', 1),
  })
  .refine(({ percent_off: percent, amount_off: off }) => (percent == null) !== (off == null), {
    path: ['percent_off'],
    error: 'Give either percent_off or amount_off.',
  })
  .refine(({ amount_off: off, currency: of }) => (off == null) === (of == null), {
    path: ['currency'],
    error: 'An amount, and only that, has a currency.',
  });

/** In the order of the API reference. */
export function couponRoutes(tools: AccountTools, coupons: Coupons): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-coupons',
      ...reading,
      summary: 'Lists your coupons, newest first; for administrators, all coupons',
      method: 'get',
      paths: ['/api/coupons'],
      query: z.object(pageQuery),
      answer: pageOf(couponItem),
      refusals: ['forbidden'],
      handle: ({ caller, query: { cursor: after, limit } }) =>
        rendered(coupons.list({ own: false, after, limit }, sellerOf(caller)), (page) =>
          pageAnswer(page.coupons.map(renderCoupon), page.next),
        ),
    }),
    accountRoute(tools, {
      id: 'create-coupon',
      ...writing,
      summary: 'Makes a coupon',
      description: `Its terms never change: end it, and make another one. There can be ${active} coupons at once that you have not ended. Buyers type the code, or get it with the link of the product and \`?coupon=\`.`,
      method: 'post',
      paths: ['/api/coupons'],
      isIdempotent: true,
      body: newCoupon,
      answer: oneCoupon,
      refusals: ['conflict', 'forbidden', 'not_found', 'validation_error'],
      async handle({ caller, body }) {
        const { percent_off: percent, amount_off: off } = body;
        const made = await coupons.create(
          {
            code: body.code ?? '',
            takesOff: percent == null ? { amount: off ?? 0, currency: body.currency ?? baseCurrency } : { percent },
            payments: body.payments ?? 'first',
            targets: (body.products ?? []).map(({ product, offer = null }) => ({ product, offer })),
            ownersOf: body.owners_of ?? null,
            isOfSite: body.of_site ?? false,
            startsAt: body.starts_at ?? null,
            endsAt: body.ends_at ?? null,
            mostUses: body.max_uses ?? null,
            mostPerBuyer: body.max_uses_per_buyer ?? null,
          },
          sellerOf(caller),
        );
        return answerWith(made);
      },
    }),
    accountRoute(tools, {
      id: 'get-coupon',
      ...reading,
      summary: 'Returns a coupon',
      method: 'get',
      paths: ['/api/coupons/:id'],
      params,
      answer: oneCoupon,
      refusals: ['not_found'],
      handle: async ({ caller, params: { id } }) => answerWith(await coupons.show(id, sellerOf(caller))),
    }),
    accountRoute(tools, {
      id: 'end-coupon',
      ...writing,
      summary: 'Ends a coupon',
      description: 'Nobody can use it any more. Orders keep their price, also those that are not paid yet.',
      method: 'post',
      paths: ['/api/coupons/:id/end'],
      isIdempotent: true,
      params,
      body: z.strictObject({}),
      answer: oneCoupon,
      refusals: ['not_found'],
      handle: async ({ caller, params: { id } }) => answerWith(await coupons.end(id, sellerOf(caller))),
    }),
  ];
}
