import type { VNode } from 'preact';
import { z } from 'zod';
import { dayOf, endOfDay } from '../../../../core/day-text.ts';
import type { Rights } from '../../../../core/licensing/license.ts';
import { type LicenseNotes, noteLimits } from '../../../../core/licensing/license-notes.ts';
import { isPlainAddress } from '../../../../core/mail/mail.ts';
import { termLimits } from '../../../../core/marketplace/product-terms.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { type Refused, refuse } from '../../../../core/refusal.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import { isWithoutNul } from '../../fields.ts';
import { AreaField, DateField, named, SelectField, TextField } from '../../ui/form.tsx';
import type { FormValues } from '../../ui/form-state.ts';
import { entitlements, fieldWords, oneOf, optional, optionalText } from '../kit/fields.ts';
import { words } from './words.ts';

/** A whole number, or `undefined` if nothing was typed. */
export function wholeNumber(least: number, most: number) {
  return optionalText.transform((text, context) => {
    if (text === '') return undefined;
    const number = parseWholeNumber(text, least, most);
    if (number !== undefined) return number;
    context.addIssue(words.fields.wholeNumber(least, most));
    return z.NEVER;
  });
}

const metadata = optionalText.transform((lines, context) => {
  const read = readMetadata(lines);
  if (typeof read !== 'string') return read;
  context.addIssue(read);
  return z.NEVER;
});

/** The schemas of the fields about a license that sellers fill in. */
export const noteFields = {
  max_domains: wholeNumber(1, termLimits.maxDomains),
  email: optional(noteLimits.email).refine((text) => text === '' || isPlainAddress(text), fieldWords.notAnAddress),
  name: optional(noteLimits.name),
  reference: optional(noteLimits.reference),
  metadata,
};

const updatesUntil = optionalText.transform((text, context) => {
  if (text === '') return null;
  const end = endOfDay(text);
  if (end !== undefined) return end;
  context.addIssue(words.rights.noDay);
  return z.NEVER;
});

/** The schemas of the fields about updates and entitlements. */
export const rightFields = { updates_until: updatesUntil, entitlements };

/** The fields as they are filled in for these rights. */
export function valuesOfRights(rights: Rights): FormValues {
  return {
    updates_until: rights.updatesUntil === null ? '' : dayOf(rights.updatesUntil),
    entitlements: rights.entitlements.join(' '),
  };
}

/** Returns the rights that somebody typed. The time of a day that stays is kept. */
export function typedRights(before: Rights, typed: Rights): Rights {
  const isSameDay =
    before.updatesUntil !== null &&
    typed.updatesUntil !== null &&
    dayOf(before.updatesUntil) === dayOf(typed.updatesUntil);
  return isSameDay ? { ...typed, updatesUntil: before.updatesUntil } : typed;
}

/** `isNew`: what is left empty is as the offer says. */
export function RightFields({ isNew = false }: { readonly isNew?: boolean }): VNode {
  const { updatesHint, entitlementsHint } = isNew ? words.rights.atIssue : words.rights;
  return (
    <>
      <DateField name="updates_until" label={words.rights.updatesUntil} hint={updatesHint} />
      <TextField name="entitlements" label={words.rights.entitlements} hint={entitlementsHint} />
    </>
  );
}

/** Returns the values of the form as notes. */
export function notesOf(typed: {
  readonly email: string;
  readonly name: string;
  readonly reference: string;
  readonly metadata: LicenseNotes['metadata'];
}): LicenseNotes {
  const { email, name, reference } = typed;
  return {
    holder: email === '' && name === '' ? null : { email: email || null, name: name || null },
    reference: reference || null,
    metadata: typed.metadata,
  };
}

/** The fields as they are filled in for these notes. */
export function valuesOf({ holder, reference, metadata }: LicenseNotes): FormValues {
  return {
    email: holder?.email ?? '',
    name: holder?.name ?? '',
    reference: reference ?? '',
    metadata: writeMetadata(metadata),
  };
}

export function NoteFields(): VNode {
  return (
    <>
      <TextField name="name" label={words.fields.name} />
      <TextField name="email" type="email" label={words.fields.email} hint={words.fields.emailHint} />
      <TextField name="reference" label={words.fields.reference} hint={words.fields.referenceHint} />
      <AreaField name="metadata" label={words.fields.metadata} hint={words.fields.metadataHint} rows={4} isCode />
    </>
  );
}

export function ReasonField(): VNode {
  return <TextField name="reason" label={words.fields.reason} hint={words.fields.reasonHint} />;
}

const choices = ['product', 'date', 'never'] as const;
type Choice = (typeof choices)[number];

export const expiryFields = { expiry: oneOf(choices, words.expiry.choose), until: optionalText };

/** Returns the chosen expiry. `undefined` leaves it to the product. A license works until the end of its last day in UTC. */
export function licenseExpiry(choice: Choice, until: string): Instant | null | undefined | Refused<'no_day'> {
  switch (choice) {
    case 'product':
      return undefined;
    case 'never':
      return null;
    case 'date':
      return endOfDay(until) ?? refuse('no_day');
  }
}

/** `ofProduct` says what the choice that leaves it to the product means. */
export function ExpiryFields({ ofProduct }: { readonly ofProduct: string }): VNode {
  const labels: Readonly<Record<Choice, string>> = { ...words.expiry.choices, product: ofProduct };
  return (
    <>
      <SelectField name="expiry" label={words.expiry.label} options={named(choices, labels)} />
      {/* The style sheet hides this field while it is not needed. */}
      <div class="if-date">
        <DateField name="until" label={words.expiry.until} hint={words.expiry.untilHint} />
      </div>
    </>
  );
}

type Metadata = Readonly<Record<string, string>>;

/** Half of a character, which databases do not store. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Writes metadata as lines of `name = text`, in which people edit it. Names and texts that would not survive that, such
 * as those with line breaks, stand in quotes as in JSON.
 */
export function writeMetadata(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([name, text]) => `${written(name, /=/)} = ${written(text)}`)
    .join('\n');
}

function written(text: string, forbidden?: RegExp): string {
  const isPlain =
    text === text.trim() && !/^"|[\r\n]/.test(text) && !forbidden?.test(text) && !loneSurrogate.test(text);
  return isPlain && (text !== '' || forbidden === undefined) ? text : JSON.stringify(text);
}

/** Reads what `writeMetadata` writes. Ignores blank lines. Returns a message if the lines are wrong. */
function readMetadata(lines: string): Metadata | string {
  const read = new Map<string, string>();
  for (const [index, line] of lines.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    const entry = readLine(line);
    const fault = typeof entry === 'string' ? entry : faultOf(entry);
    if (typeof entry === 'string' || fault !== undefined) return words.metadata.inLine(index + 1, fault ?? '');
    if (read.has(entry.name)) return words.metadata.inLine(index + 1, words.metadata.twice(entry.name));
    read.set(entry.name, entry.text);
  }
  return read.size > noteLimits.metadata ? words.metadata.tooMany(noteLimits.metadata) : Object.fromEntries(read);
}

interface Entry {
  readonly name: string;
  readonly text: string;
}

function readLine(line: string): Entry | string {
  const quoted = /^\s*("(?:[^"\\]|\\.)*")\s*=(.*)$/.exec(line);
  const [, name = '', text = ''] = quoted ?? /^([^=]*)=(.*)$/.exec(line) ?? [];
  if (name === '' && text === '' && !line.includes('=')) return words.metadata.noEquals;
  return { name: unquoted(name.trim()), text: unquoted(text.trim()) };
}

/** A text that only looks like one in quotes stays as it is. */
function unquoted(text: string): string {
  if (!/^".*"$/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function faultOf({ name, text }: Entry): string | undefined {
  if (name === '') return words.metadata.noName;
  if ([...name].length > noteLimits.metadataKey) return words.metadata.longName(noteLimits.metadataKey);
  if ([...text].length > noteLimits.metadataText) return words.metadata.longText(noteLimits.metadataText);
  if (![name, text].every((one) => isWithoutNul(one) && !loneSurrogate.test(one))) return words.metadata.notText;
  return undefined;
}
