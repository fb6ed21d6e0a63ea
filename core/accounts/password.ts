import { type Refused, refuse } from '../refusal.ts';

declare const brand: unique symbol;
/** A password in Unicode's form NFKC, with at most `longestPassword` characters. */
export type Password = string & { readonly [brand]: 'Password' };

export const shortestPassword = 8;
export const longestPassword = 256;
/** Longer texts are not normalized. It leaves room for passwords whose normalized form is shorter. */
const longestText = 4 * longestPassword;

export type PasswordFault = 'password_too_short' | 'password_too_long' | 'password_personal' | 'password_common';

/**
 * Returns the password in NFKC (NIST SP 800-63B, 5.1.1.2), so that it matches however a keyboard composes its
 * characters. Returns `undefined` if it is too long to be the password of anybody.
 */
export function toPassword(text: string): Password | undefined {
  if (text.length > longestText) return undefined;
  const password = text.normalize('NFKC');
  return lengthOf(password) > longestPassword ? undefined : (password as Password);
}

/** Returns a new password, unless a rule refuses it. Common passwords are refused in `choosePassword`. */
export function acceptPassword(
  text: string,
  person: { readonly name: string; readonly email: string },
): Password | Refused<PasswordFault> {
  const password = toPassword(text);
  if (password === undefined) {
    return refuse('password_too_long', `A password has at most ${longestPassword} characters.`);
  }
  if (lengthOf(password) < shortestPassword) {
    return refuse('password_too_short', `A password has at least ${shortestPassword} characters.`);
  }
  const personal = [person.name, person.email, person.email.split('@')[0] ?? ''];
  if (personal.some((text) => folded(text) === folded(password))) {
    return refuse('password_personal', 'The password must differ from the name and the e-mail address.');
  }
  return password;
}

/** Returns the form in which passwords are compared with names and with common passwords. */
export function folded(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** The number of characters, as Unicode code points. */
function lengthOf(text: string): number {
  return [...text].length;
}
