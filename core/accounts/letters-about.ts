import type { Letter } from '../mail/letter.ts';
import { lettersTo } from '../mail/letters-to.ts';
import type { NewMail } from '../mail/mail.ts';
import type { SignInPorts } from './sign-in-ports.ts';

/** Makes a letter to the owner of an address, who may be unknown. */
export function lettersAbout(
  { writeLetter, clock }: SignInPorts,
  { name = '', email }: { readonly name?: string; readonly email: string },
  letter: Letter,
): readonly NewMail[] {
  return lettersTo(writeLetter, { name, address: email }, letter, clock.now());
}
