import { alphabet, checkDigit, inGroups } from '../check-character.ts';
import { oneLine } from '../one-line.ts';
import type { Secrets } from '../ports/secrets.ts';

declare const brand: unique symbol;
/** A key in canonical form: `LIC-` and four groups of four characters, in upper case. It may belong to no license. */
export type LicenseKey = string & { readonly [brand]: 'LicenseKey' };

const shape = /^LIC(?:-[A-Z0-9]{4}){4}$/i;

/** The message for a text that is no key. */
export const keyHint = 'A license key looks like LIC-XXXX-XXXX-XXXX-XXXX.';

/** Returns the canonical key, or `undefined` if the text is no key. Ignores outer blanks, line breaks and letter case. */
export function parseLicenseKey(text: string): LicenseKey | undefined {
  const repaired = oneLine(text);
  return shape.test(repaired) ? (repaired.toUpperCase() as LicenseKey) : undefined;
}

/** Returns a new key: 15 random characters of Crockford's base32 (75 bits) and the check character. */
export function mintLicenseKey(secrets: Pick<Secrets, 'bytes'>): LicenseKey {
  const digits = Array.from(secrets.bytes(15), (byte) => byte % 32);
  return `LIC-${inGroups([...digits, checkDigit(digits)])}` as LicenseKey;
}

/**
 * Whether the last character matches the others. This detects every wrong character and every swap of two characters.
 * A key from another system may fail this check and still be valid.
 */
export function hasValidCheckCharacter(key: LicenseKey): boolean {
  const digits = Array.from(key.slice(4).replaceAll('-', ''), (character) => alphabet.indexOf(character));
  return !digits.includes(-1) && checkDigit(digits.slice(0, 15)) === digits[15];
}

/**
 * Returns `LIC-AB…YZ`, which is enough to recognize a key, but not to use it. Of a text that is no key, such as one of another
 * system, it has at most 6 characters and a quarter, and none if there are fewer than 12. Blanks do not count.
 */
export function shortenLicenseKey(text: string): string {
  const key = parseLicenseKey(text);
  if (key !== undefined) return `${key.slice(0, 6)}…${key.slice(-2)}`;
  const characters = [...text.replace(/\s/gu, '')];
  if (characters.length < 12) return '…';
  const shown = Math.min(6, Math.floor(characters.length / 4));
  const end = Math.floor(shown / 3);
  return `${characters.slice(0, shown - end).join('')}…${characters.slice(-end).join('')}`;
}
