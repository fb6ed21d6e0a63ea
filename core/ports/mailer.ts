import type { Abort } from '../abort.ts';
import type { Letter } from '../mail/letter.ts';
import type { Mail, MailContent } from '../mail/mail.ts';
import type { Refused } from '../refusal.ts';
import type { WorkResults } from '../work/work.ts';

/** Hands mails to a mail server. */
export interface Mailer {
  /**
   * Makes one attempt, which takes less than a minute. Returns `refused_for_good`, with the reason, if the server
   * refuses this mail and would always do so. Throws `Unavailable` if a later attempt may succeed. Neither text contains
   * secrets.
   */
  send(mail: Mail, stop: Abort): Promise<WorkResults['mail'] | Refused<'refused_for_good'>>;
}

/** Writes the text of a mail, plain and as HTML in which all facts are escaped. */
export type WriteText = (letter: Letter) => MailContent;

/** The same, or `undefined` if this service writes to nobody, as a sandbox: see `lettersTo`. */
export type WriteLetter = (letter: Letter) => MailContent | undefined;
