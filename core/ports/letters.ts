/** The letters about sign-in, with what each has to say. `token` belongs into the address of a page. */
export interface LetterData {
  'verify-email': { readonly name: string; readonly token: string };
  /** For somebody who signed up with, or changed to, an address that has an account. */
  'already-registered': { readonly name: string };
  'reset-password': { readonly name: string; readonly token: string };
  /** For somebody who asked for a new password with an address that has no account. */
  'no-account': Readonly<Record<string, never>>;
  'change-email': { readonly name: string; readonly token: string };
  /** To the old address. */
  'email-changed': { readonly name: string; readonly email: string };
  'password-changed': { readonly name: string };
  'second-factor-changed': { readonly name: string; readonly isOn: boolean };
  invite: { readonly token: string };
}
export type LetterKind = keyof LetterData;

/** Sends letters by e-mail. */
export interface Letters {
  /** Returns when the letter is accepted for sending, which may happen later. */
  send<Kind extends LetterKind>(kind: Kind, to: string, data: LetterData[Kind]): Promise<void>;
}
