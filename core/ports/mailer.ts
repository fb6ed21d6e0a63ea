import type { Abort } from '../abort.ts';
import type { Mail } from '../mail/mail.ts';
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
