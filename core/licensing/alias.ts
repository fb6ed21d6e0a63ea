import { oneLine } from '../one-line.ts';
import type { Instant } from '../ports/clock.ts';
import { type LicenseKey, parseLicenseKey } from './license-key.ts';

interface KindRule {
  /** Whether `a` and `A` are the same. */
  readonly ignoresCase: boolean;
  /** Whether blanks inside of the text are left out. Blanks around it and line breaks always are. */
  readonly ignoresBlanks: boolean;
}

/**
 * Where an alias comes from, and how exactly it must be written. `former`: the key that the license had before a new one
 * replaced it. Systems whose keys have one case only, or groups, forgive what people do to them when they type or copy.
 */
export const aliasKinds = {
  former: { ignoresCase: true, ignoresBlanks: false },
  lemonsqueezy: { ignoresCase: true, ignoresBlanks: true },
  edd: { ignoresCase: true, ignoresBlanks: true },
  gumroad: { ignoresCase: true, ignoresBlanks: true },
  freemius: { ignoresCase: false, ignoresBlanks: false },
  keygen: { ignoresCase: false, ignoresBlanks: false },
  woocommerce: { ignoresCase: false, ignoresBlanks: false },
  // Software License Manager compares keys in MySQL, which ignores case.
  slm: { ignoresCase: true, ignoresBlanks: false },
  other: { ignoresCase: false, ignoresBlanks: false },
} as const satisfies Record<string, KindRule>;
export type AliasKind = keyof typeof aliasKinds;

/** The kinds that people can add. */
export type ForeignKind = Exclude<AliasKind, 'former'>;
export const foreignAliasKinds = Object.keys(aliasKinds).filter((kind) => kind !== 'former') as ForeignKind[];

/** The other systems whose exports of licenses can be imported, and what these are: JSON are answers of their API. */
export const exportForms = {
  lemonsqueezy: 'json',
  edd: 'csv',
  gumroad: 'csv',
  freemius: 'json',
  keygen: 'json',
  woocommerce: 'csv',
} as const satisfies Record<Exclude<ForeignKind, 'slm' | 'other'>, 'csv' | 'json'>;
export type ExportingSystem = keyof typeof exportForms;
export const systemsWithExports = Object.keys(exportForms) as ExportingSystem[];

/** In characters, as they are stored. */
export const aliasLength = { least: 8, most: 128 } as const;

/** The most aliases of other systems that a license has at a time. */
export const mostAliases = 50;

declare const brand: unique symbol;
/** A text that can be an alias, without the blanks around it and without line breaks. */
export type AliasText = string & { readonly [brand]: 'AliasText' };

/** Another key that leads to a license. Only digests of its text are stored, so it cannot be shown in full. */
export interface Alias {
  readonly id: number;
  readonly kind: AliasKind;
  /** The text, as `shortenLicenseKey` returns it. */
  readonly hint: string;
  /** The license key that was replaced. Only of the kind `former`. */
  readonly formerKey: LicenseKey | null;
  /** It leads to the license until this instant. `null` means for ever. */
  readonly validUntil: Instant | null;
  readonly addedAt: Instant;
  /** Whether the holder of the license replaced the key. */
  readonly isByHolder: boolean;
}

/** An alias that is not stored yet. */
export interface NewAlias extends Omit<Alias, 'id' | 'hint' | 'formerKey'> {
  readonly text: AliasText;
}

/** The key that an imported license had in another system. */
export interface ImportedAlias {
  readonly text: AliasText;
  readonly kind: ForeignKind;
}

/** What makes no key: characters that do not print, other than blanks. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The most characters that can become one when a text is written in its shortest form, with room to spare. */
const longestSpelling = 20;

/** Returns the text as an alias, or `undefined` if it is too short, too long, or has characters that do not print. */
export function parseAlias(text: string): AliasText | undefined {
  const joined = oneLine(text);
  if (joined.length > aliasLength.most * longestSpelling) return undefined;
  const repaired = joined.normalize('NFC');
  const { length } = [...repaired];
  if (length < aliasLength.least || length > aliasLength.most || unprintable.test(repaired)) return undefined;
  return repaired as AliasText;
}

/**
 * As `parseAlias`, for an alias that people add. A text that is found as a key of our own form is none, also one with blanks in it: it is the
 * key of a license, and would stand in the way when that key is replaced.
 */
export function parseForeignAlias(text: string): AliasText | undefined {
  const alias = parseAlias(text);
  return alias === undefined || parseLicenseKey(foldedAlias(alias)) !== undefined ? undefined : alias;
}

/**
 * Returns the text by which all aliases are found: without case and blanks. No two aliases have the same, whatever their
 * kinds are. So each text leads to one license at most.
 */
export function foldedAlias(text: AliasText): string {
  return text.replace(/\s/gu, '').toLowerCase();
}

/** Returns the text as aliases of a kind are compared. */
export function writtenAs(text: AliasText, kind: AliasKind): string {
  const rule = aliasKinds[kind];
  const compact = rule.ignoresBlanks ? text.replace(/\s/gu, '') : text;
  return rule.ignoresCase ? compact.toLowerCase() : compact;
}

/** Whether an alias leads to its license at a given time. */
export function leadsAt({ validUntil }: Pick<Alias, 'validUntil'>, now: Instant): boolean {
  return validUntil === null || now < validUntil;
}
