import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { type MailId, parseId, toMailId } from '../id.ts';
import { composeMail, isPlainAddress, keptFor, type Mail, type MailEntry, queueAgain } from '../mail/mail.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailFilter, MailStore } from '../ports/mail-store.ts';
import type { WriteText } from '../ports/mailer.ts';
import { type Refused, refuse } from '../refusal.ts';

/** The mails of the last 30 days, for administrators. Reading needs `mails:read`, sending `mails:manage`. */
export interface Mails {
  /** Newest first. */
  list(filter: MailFilter, actor: Actor): Promise<MailEntry[] | Refused<'forbidden'>>;
  /** `id` is in digits. */
  show(id: string, actor: Actor): Promise<Mail | Refused<'forbidden' | 'mail_not_found'>>;
  /** Queues a failed or kept mail again. */
  retry(
    id: string,
    actor: Actor,
  ): Promise<Mail | Refused<'forbidden' | 'mail_not_found' | 'mail_sent' | 'mail_queued'>>;
  /** Queues a test mail. */
  sendTest(address: string, actor: Actor): Promise<MailId | Refused<'forbidden' | 'not_an_address'>>;
  /** Deletes old mails. Returns how many. Only for jobs of the server: it asks for no right. */
  forgetOld(): Promise<number>;
}

interface MailsPorts {
  readonly store: MailStore;
  readonly write: WriteText;
  readonly clock: Clock;
}

export function createMails({ store, write, clock }: MailsPorts): Mails {
  const notFound = (id: string) => refuse('mail_not_found', `There is no mail with the id ${id}.`);
  return {
    list: async (filter, actor) => needing(actor, 'mails:read') ?? (await store.list(filter)),

    async show(text, actor) {
      const refused = needing(actor, 'mails:read');
      if (refused) return refused;
      const id = parseId(text, toMailId);
      return (id === undefined ? undefined : await store.find(id)) ?? notFound(text);
    },

    async retry(text, actor) {
      const refused = needing(actor, 'mails:manage');
      if (refused) return refused;
      const id = parseId(text, toMailId);
      if (id === undefined) return notFound(text);
      const now = clock.now();
      const changed = await store.change(id, (mail) =>
        queueAgain(mail, event('mail.retried', mail.to.address, byOf(actor), now, { id, kind: mail.kind })),
      );
      return changed ?? notFound(text);
    },

    async sendTest(address, actor) {
      const refused = needing(actor, 'mails:manage');
      if (refused) return refused;
      const by = byOf(actor);
      if (!isPlainAddress(address)) return refuse('not_an_address', 'It must be one e-mail address.');
      const letter = { kind: 'test', actor: by.actor } as const;
      const now = clock.now();
      const mail = composeMail({ name: '', address }, letter.kind, write(letter), now);
      return await store.add(mail, event('mail.tested', address.toLowerCase(), by, now));
    },

    forgetOld: () => store.forget(clock.now() - keptFor),
  };
}
