import { type Refused, refuse } from '../refusal.ts';

/** `code`: the characters of one code. `codes`: how many a license has at most. */
export const entitlementLimits = { code: 40, codes: 20 } as const;

/** What the code of an entitlement looks like, such as `pro` or `export.csv`. */
const entitlementPattern = /^[a-z0-9][a-z0-9._:-]*$/;

/** Whether a license can have this code: lower-case letters, digits and `._:-`, beginning with a letter or digit. */
export function isEntitlement(text: string): boolean {
  return text.length <= entitlementLimits.code && entitlementPattern.test(text);
}

/** Returns the codes in lower case, each once, in alphabetical order. */
export function parseEntitlements(texts: readonly string[]): readonly string[] | Refused<'invalid_entitlements'> {
  const codes = [...new Set(texts.map((text) => text.trim().toLowerCase()))].sort();
  const wrong = codes.find((code) => !isEntitlement(code));
  if (wrong !== undefined) {
    return refuse(
      'invalid_entitlements',
      `${JSON.stringify(wrong.slice(0, 60))} is no code: use at most ${entitlementLimits.code} letters (a to z), digits and the characters . _ : -, and begin with a letter or digit.`,
    );
  }
  if (codes.length <= entitlementLimits.codes) return codes;
  return refuse('invalid_entitlements', `There can be at most ${entitlementLimits.codes} codes.`);
}
