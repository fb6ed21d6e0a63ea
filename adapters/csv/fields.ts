import { z } from 'zod';
import { type AliasText, aliasLength, foreignAliasKinds, parseForeignAlias } from '../../core/licensing/alias.ts';
import { parseEntitlements } from '../../core/licensing/entitlements.ts';
import { parseActivationName } from '../../core/licensing/instance.ts';
import { keyHint, type LicenseKey, parseLicenseKey } from '../../core/licensing/license-key.ts';
import { noteLimits } from '../../core/licensing/license-notes.ts';
import { termLimits } from '../../core/marketplace/product-terms.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { SheetLicense } from '../../core/ports/license-sheet.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { quotedStart } from '../../core/selling/cell.ts';
import { longestProductName } from '../../core/selling/foreign-export.ts';
import { day } from '../../core/time.ts';
import { parseWholeNumber } from '../../core/whole-number.ts';
import { parseExpiry, parseMoment } from '../expiry.ts';
import { metadataOf } from '../license-metadata.ts';

function wholeNumber(max: number) {
  return z
    .string()
    .refine((text) => parseWholeNumber(text, 1, max) !== undefined, `It must be a whole number from 1 to ${max}.`)
    .transform(Number);
}

/** An empty cell becomes `null`. */
function orNull<Value>(schema: z.ZodType<Value>) {
  return z.preprocess((text) => (text === '' ? null : text), schema.nullable());
}

/** A text that both databases store as it is. */
const storable = (max: number) =>
  z
    .string()
    .refine((text) => !/[\0\p{Surrogate}]/u.test(text), 'It contains a character that is not valid.')
    .refine((text) => [...text].length <= max, `It must have at most ${max} characters.`);

interface KeyCell {
  readonly own?: LicenseKey;
  /** A key of another system, which becomes an alias. */
  readonly foreign?: AliasText;
}

/** A text that begins like a key of our form is a mistyped one, and no key of another system. */
const beginsAsOwn = /^LIC\b/i;
const foreignHint = `A key of another system has ${aliasLength.least} to ${aliasLength.most} printable characters.`;

/** An empty cell has no key. */
export const key = z.string().transform((text, context): KeyCell => {
  if (text === '') return {};
  const own = parseLicenseKey(text);
  if (own !== undefined) return { own };
  const isMistyped = beginsAsOwn.test(text);
  const foreign = isMistyped ? undefined : parseForeignAlias(text);
  if (foreign !== undefined) return { foreign };
  context.addIssue(isMistyped ? keyHint : `${keyHint} ${foreignHint}`);
  return z.NEVER;
});

export const alias = z.string().transform((text, context) => {
  if (text === '') return undefined;
  const parsed = parseForeignAlias(text);
  if (parsed !== undefined) return parsed;
  context.addIssue(foreignHint);
  return z.NEVER;
});

export const aliasKind = z.enum(foreignAliasKinds, { error: `It must be ${foreignAliasKinds.join(', ')}.` });

export const product = z
  .string()
  .refine(
    (text) => text !== '' && [...text].length <= longestProductName,
    `It must have 1 to ${longestProductName} characters.`,
  )
  .refine((text) => !/\p{Control}/u.test(text), 'It must not contain control characters.');

export const maxDomains = wholeNumber(termLimits.maxDomains);
export const days = orNull(wholeNumber(termLimits.days));

export function expiry(now: Instant) {
  return z.string().transform((text, context) => {
    const instant = parseExpiry(text, now);
    if (instant !== undefined) return instant;
    context.addIssue(
      'It must be a date (2030-01-31, to the end of that day), a date and time (2030-01-31T12:00:00Z), a span (30d, 4w, 1y) or never.',
    );
    return z.NEVER;
  });
}

/** The words of a cell, with blanks or semicolons between them. Of more than `most`, one more. The text before a separator at the start is empty. */
const wordsIn = (text: string, most: number) => text.split(/[\s;]+/, most + 2).filter((word) => word !== '');

/** The most words of a cell with codes, which can stand there more than once. */
const mostWords = 1_000;

/** Codes with blanks or semicolons between them. */
export const entitlements = z.string().transform((text, context) => {
  const words = wordsIn(text, mostWords);
  const codes =
    words.length > mostWords ? refuse('invalid_entitlements', 'It has too many codes.') : parseEntitlements(words);
  if (!isRefused(codes)) return codes;
  context.addIssue(codes.detail ?? '');
  return z.NEVER;
});

export const email = orNull(
  z
    .email('It must be an e-mail address.')
    .max(noteLimits.email, `It must have at most ${noteLimits.email} characters.`),
);
export const name = orNull(storable(noteLimits.name));
export const reference = orNull(storable(noteLimits.reference));

/** Longer metadata have too many texts, however they are written. */
const longestMetadata = 200_000;

export const metadata = z
  .string()
  .max(longestMetadata, { error: `It must have at most ${noteLimits.metadata} texts.`, abort: true })
  .transform((text, context) => {
    if (text === '') return {};
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('It must be a JSON object of texts, such as {"plan":"gold"}.');
      return z.NEVER;
    }
  })
  .pipe(metadataOf(storable, 'It must be a JSON object of texts.'));

/** The most domains of a line. A license and its domains are stored at once, and other writes wait meanwhile. */
export const mostDomains = 2_000;

/** Domains with blanks or semicolons between them, each with `@` and its time if that is known. */
export function domains(now: Instant) {
  return z.string().transform((text, context): SheetLicense['domains'] => {
    const words = wordsIn(text, mostDomains);
    if (words.length > mostDomains) {
      context.addIssue(
        `A line can have at most ${mostDomains}. Leave out the others, and activate them after the import.`,
      );
      return z.NEVER;
    }
    return words.flatMap((word) => {
      const found = domainIn(word, now);
      if (found !== undefined) return [found];
      if (context.issues.length === 0) {
        context.addIssue(
          `${quotedStart(word)} is no domain such as example.com or example.com@2030-01-31T12:00:00Z with a time in the past.`,
        );
      }
      return [];
    });
  });
}

function domainIn(word: string, now: Instant): SheetLicense['domains'][number] | undefined {
  const at = word.lastIndexOf('@');
  const domain = parseActivationName(at === -1 ? word : word.slice(0, at));
  const activatedAt = at === -1 ? undefined : parseMoment(word.slice(at + 1));
  if (domain === undefined || (at !== -1 && activatedAt === undefined)) return undefined;
  // The clock of the system that wrote the file may differ.
  return activatedAt !== undefined && activatedAt > now + day ? undefined : { domain, activatedAt };
}
