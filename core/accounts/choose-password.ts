import { isRefused, type Refused, refuse } from '../refusal.ts';
import { acceptPassword, folded, type PasswordFault } from './password.ts';
import type { SignInPorts } from './sign-in-ports.ts';

/** Returns the hash of a new password, unless a rule refuses the password. */
export async function choosePassword(
  { hasher, commonPasswords }: SignInPorts,
  text: string,
  person: { readonly name: string; readonly email: string },
): Promise<string | Refused<PasswordFault>> {
  const password = acceptPassword(text, person);
  if (isRefused(password)) return password;
  if (await commonPasswords.includes(folded(password))) {
    return refuse('password_common', 'Many people use this password, so it is easily guessed.');
  }
  return await hasher.hash(password);
}
