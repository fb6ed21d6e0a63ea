import { z } from 'zod';
import { endOfDay } from '../../../../core/day-text.ts';
import { entitlementLimits } from '../../../../core/licensing/entitlements.ts';
import { licenseStatuses, type Rights } from '../../../../core/licensing/license.ts';
import { type Holder, type LicenseNotes, noteLimits } from '../../../../core/licensing/license-notes.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import { termLimits } from '../../../../core/marketplace/product-terms.ts';
import { metadataOf } from '../../../license-metadata.ts';
import { entitlement, isWithoutNul, licenseKey, missingOr, notOneText, nulFault, optionalText } from '../../fields.ts';

export const params = z.object({ key: licenseKey });

/** A text that both databases store as it is: without NUL, and without half a character. */
const storable = (max: number) =>
  z
    .string({ error: notOneText })
    .refine(isWithoutNul, nulFault)
    .refine((value) => !/\p{Surrogate}/u.test(value), 'It must be valid Unicode.')
    .refine((value) => [...value].length <= max, `It must have at most ${max} characters.`);

const orNull = (schema: z.ZodString, max: number) =>
  schema
    .trim()
    .transform((value) => value || null)
    .nullable()
    .optional()
    .transform((value) => value ?? null)
    .meta({ maxLength: max });

const email = z
  .string({ error: notOneText })
  .trim()
  .pipe(
    z.union([
      z.literal('').transform(() => null),
      z
        .email('It must be an e-mail address.')
        .max(noteLimits.email, `It must have at most ${noteLimits.email} characters.`),
    ]),
  )
  .nullable()
  .optional()
  .transform((value) => value ?? null)
  .meta({ maxLength: noteLimits.email, example: 'grace@example.com' });

const holder = z
  .object(
    { email, name: orNull(storable(noteLimits.name), noteLimits.name).meta({ example: 'Grace Hopper' }) },
    'It must be an object with email, name or both.',
  )
  .transform((value): Holder | null => (value.email === null && value.name === null ? null : value))
  .nullable()
  .optional()
  .meta({ description: 'Whom the license is for. Null for nobody.' });

const metadata = metadataOf(storable, 'It must be an object of texts.')
  .optional()
  .meta({
    description: `Your own texts: at most ${noteLimits.metadata} of ${noteLimits.metadataText} characters, under names of at most ${noteLimits.metadataKey}.`,
    example: { campaign: 'spring' },
  });

/** The notes that a caller can give with a license. */
export const notes = {
  holder,
  reference: orNull(storable(noteLimits.reference), noteLimits.reference)
    .optional()
    .meta({ description: 'Your own name for the license, such as an order number.', example: 'order-4711' }),
  metadata,
};

export const maxDomains = z
  .int(missingOr('It must be a whole number.'))
  .min(1, 'It must be at least 1.')
  .max(termLimits.maxDomains, `It must be at most ${termLimits.maxDomains}.`)
  .optional()
  .meta({ example: 3 });

/** A time that the caller gives, with any offset. */
export const instant = z.iso
  .datetime({ offset: true, error: 'It must be a time such as 2031-11-21T09:30:00Z.' })
  .transform((value) => Date.parse(value))
  .meta({ format: 'date-time', example: '2031-11-21T09:30:00.000Z' });

const day = z.iso.date().transform(endOfDay).pipe(z.number());

/** When a license ends: a time, or a day. On that day it still works. */
export const expiry = z
  .union([instant, day], 'It must be a day such as 2031-11-21, or a time such as 2031-11-21T09:30:00Z.')
  .meta({ example: '2031-11-21' });

/** The rights that a caller can give to a license. */
export const rights = {
  updates_until: expiry.nullable().optional().meta({
    description: 'The license may fetch the releases made until then: a time, or a day to its end in UTC. Null: all.',
  }),
  entitlements: z
    .array(entitlement, missingOr('It must be a list of texts.'))
    .max(entitlementLimits.codes, `It must have at most ${entitlementLimits.codes} texts.`)
    .transform((codes) => [...new Set(codes)].sort())
    .optional()
    .meta({ description: 'Codes whose meaning is up to your software. Replaces all.', example: ['pro'] }),
};

/** Returns the rights that are in a body. */
export function givenRights(body: z.output<z.ZodObject<typeof rights>>): Partial<Rights> {
  return {
    ...(body.updates_until !== undefined && { updatesUntil: body.updates_until }),
    ...(body.entitlements !== undefined && { entitlements: body.entitlements }),
  };
}

/** A text to search by. */
export const searched = z
  .string({ error: notOneText })
  .max(500, 'It must have at most 500 characters.')
  .refine(isWithoutNul, nulFault);

export const choice = (values: readonly [string, ...string[]]) => `It must be one of ${values.join(', ')}.`;

/** Which licenses to return. */
export const narrowed = {
  product: searched.optional().meta({ description: 'Id or slug of a product.', example: 'simple-dex' }),
  status: z.enum(licenseStatuses, choice(licenseStatuses)).optional().meta({ example: 'active' }),
  expires_before: instant.optional().meta({ description: 'Only licenses that expire before this time.' }),
};

export const reason = optionalText(longestReason).meta({
  description: 'Why you do it. It is kept in the history of the license.',
  example: 'Refunded.',
});

/** Returns the notes that are in a body. */
export function givenNotes(body: z.output<z.ZodObject<typeof notes>>): Partial<LicenseNotes> {
  return {
    ...(body.holder !== undefined && { holder: body.holder }),
    ...(body.reference !== undefined && { reference: body.reference }),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}
