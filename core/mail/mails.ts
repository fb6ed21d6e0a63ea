import { type By, event } from '../events/event.ts';
import { type MailId, parseId, toMailId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailFilter, MailStore } from '../ports/mail-store.ts';
import type { WriteLetter } from '../ports/mail-texts.ts';
import type { Mailer } from '../ports/mailer.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Attempt } from '../work/worker.ts';
import { composeMail, isPlainAddress, keptFor, type Mail, type MailEntry, queueAgain } from './mail.ts';

/** The mails of the last 30 days, for administrators. */
export interface Mails {
  /** Newest first. */
  list(filter: MailFilter): Promise<MailEntry[]>;
  /** `id` is in digits. */
  show(id: string): Promise<Mail | Refused<'mail_not_found'>>;
  /** Queues a mail that has failed, or that was only kept. */
  retry(id: string, by: By): Promise<Mail | Refused<'mail_not_found' | 'mail_sent' | 'mail_queued'>>;
  /** Queues a mail that says that mails arrive. */
  sendTest(address: string, by: By): Promise<MailId | Refused<'not_an_address'>>;
  /** Deletes old mails. Returns how many. */
  forgetOld(): Promise<number>;
}

export function createMails(store: MailStore, write: WriteLetter, clock: Clock): Mails {
  const notFound = (id: string) => refuse('mail_not_found', `There is no mail with the id ${id}.`);
  return {
    list: (filter) => store.list(filter),

    async show(text) {
      const id = parseId(text, toMailId);
      return (id === undefined ? undefined : await store.find(id)) ?? notFound(text);
    },

    async retry(text, by) {
      const id = parseId(text, toMailId);
      if (id === undefined) return notFound(text);
      const now = clock.now();
      const changed = await store.change(id, (mail) =>
        queueAgain(mail, event('mail.retried', mail.to.address, by, now, { id, kind: mail.kind })),
      );
      return changed ?? notFound(text);
    },

    async sendTest(address, by) {
      if (!isPlainAddress(address)) return refuse('not_an_address', 'It must be one e-mail address.');
      const letter = { kind: 'test', actor: by.actor } as const;
      const now = clock.now();
      const mail = composeMail({ name: '', address }, letter, write(letter), now);
      return await store.add(mail, event('mail.tested', address.toLowerCase(), by, now));
    },

    forgetOld: () => store.forget(clock.now() - keptFor),
  };
}

/** Sends the mail that a piece of work is about. */
export function sendMail(store: Pick<MailStore, 'find'>, mailer: Mailer): Attempt<'mail'> {
  return async ({ subjectId }, stop) => {
    const mail = await store.find(toMailId(subjectId));
    if (mail === undefined) return refuse('refused_for_good', 'The mail does not exist any more.');
    return await mailer.send(mail, stop);
  };
}
