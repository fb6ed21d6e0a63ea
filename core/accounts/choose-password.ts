import { isRefused, type Refused, refuse } from '../refusal.ts';
import { acceptPassword, folded, type Password, type PasswordFault } from './password.ts';
import type { SignInPorts } from './sign-in-ports.ts';

interface Chooser {
  readonly name: string;
  readonly email: string;
}

/** Returns the hash of a new password, unless a rule refuses the password. `address` is where the request comes from. */
export async function choosePassword(
  ports: SignInPorts,
  text: string,
  person: Chooser,
  address: string,
): Promise<string | Refused<PasswordFault>> {
  const password = await judgePassword(ports, text, person);
  return isRefused(password) ? password : await ports.hasher.hash(password, address);
}

/** Returns a new password, unless a rule refuses it. Costs little, unlike its hash. */
export async function judgePassword(
  { commonPasswords }: Pick<SignInPorts, 'commonPasswords'>,
  text: string,
  person: Chooser,
): Promise<Password | Refused<PasswordFault>> {
  const password = acceptPassword(text, person);
  if (isRefused(password)) return password;
  if (await commonPasswords.includes(folded(password))) {
    return refuse('password_common', 'Many people use this password, so it is easily guessed.');
  }
  return password;
}
