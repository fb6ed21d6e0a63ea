import { createLetters } from '../../../adapters/http/ui/mail/mail-page.tsx';
import { outbox } from '../../../adapters/mail/outbox.ts';
import { createMails } from '../../../core/administration/mails.ts';
import { createNotifications } from '../../../core/notifications/notifications.ts';
import type { Mailer } from '../../../core/ports/mailer.ts';
import { clock, config, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { currentSettings } from './settings.ts';
import { mailStore, notificationStore } from './sql.ts';

export const mailer = part(
  async ({ config: { MAIL_URL: place, MAIL_FROM: from } }): Promise<Mailer> => {
    if (place.kind === 'outbox' || from === undefined) return outbox;
    const { createSmtpMailer } = await import('../../../adapters/mail/smtp.ts');
    return createSmtpMailer(place.server, { from });
  },
  { config },
);
/** Writes the texts of mails. */
export const writeLetter = part(({ current, baseUrl }) => createLetters(() => current.get().site_name, baseUrl), {
  current: currentSettings,
  baseUrl: setting('BASE_URL'),
});
export const mails = part(createMails, { store: mailStore, write: writeLetter, clock });
export const notifications = part(createNotifications, { store: notificationStore, clock });
