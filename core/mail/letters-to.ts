import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import { greetable, type Letter } from './letter.ts';
import { composeMail, isPlainAddress, type Mailbox, type NewMail } from './mail.ts';

/**
 * Makes a letter, to be written in the transaction of the change that it is about. Returns none if the address cannot
 * receive mail: such an address must not stop the change. Returns none either if the service writes to nobody.
 */
export function lettersTo(write: WriteLetter, to: Mailbox, letter: Letter, now: Instant): readonly NewMail[] {
  const content = isPlainAddress(to.address) ? write(letter) : undefined;
  return content === undefined ? [] : [composeMail({ ...to, name: greetable(to.name) }, letter.kind, content, now)];
}
