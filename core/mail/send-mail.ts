import { toMailId } from '../id.ts';
import type { MailStore } from '../ports/mail-store.ts';
import type { Mailer } from '../ports/mailer.ts';
import { refuse } from '../refusal.ts';
import type { Attempt } from '../work/worker.ts';

/** Sends the mail that a piece of work is about. */
export function sendMail(store: Pick<MailStore, 'find'>, mailer: Mailer): Attempt<'mail'> {
  return async ({ subjectId }, stop) => {
    const mail = await store.find(toMailId(subjectId));
    if (mail === undefined) return refuse('refused_for_good', 'The mail does not exist any more.');
    return await mailer.send(mail, stop);
  };
}
