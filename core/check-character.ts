/** The characters of Crockford's base32: digits and upper-case letters without I, L, O and U. */
export const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns a digit (0 to 31) that goes with up to 30 others. It detects every wrong digit and every swap of two: it is a
 * weighted sum over GF(32), whose weights are distinct and not 0.
 */
export function checkDigit(digits: readonly number[]): number {
  return digits.reduce((sum, digit) => double(sum ^ digit), 0);
}

/** Writes digits (0 to 31) in groups of four, with hyphens between them. */
export function inGroups(digits: readonly number[]): string {
  const characters = digits.map((digit) => alphabet.charAt(digit)).join('');
  return (characters.match(/.{4}/g) ?? []).join('-');
}

function double(element: number): number {
  const shifted = element << 1;
  return shifted & 32 ? shifted ^ 0b100101 : shifted;
}
