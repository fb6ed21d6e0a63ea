import { logoOf } from '../../../adapters/http/ui/logo.ts';
import { createLetters } from '../../../adapters/http/ui/mail/mail-page.tsx';
import { outbox } from '../../../adapters/mail/outbox.ts';
import { createMails } from '../../../core/administration/mails.ts';
import { createNotifications } from '../../../core/notifications/notifications.ts';
import type { Mailer, WriteLetter } from '../../../core/ports/mailer.ts';
import { clock, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { secretBox } from './secrets.ts';
import { currentSettings, nowSet } from './settings.ts';
import { mailStore, notificationStore } from './sql.ts';

/** Sends with the mail server of the settings, as they are at each mail. */
export const mailer = part(
  ({ current, box }): Mailer => ({
    async send(mail, stop) {
      const { mail_server: server, mail_from: from } = current.get();
      if (server === undefined || from === undefined) return await outbox.send(mail, stop);
      const [{ createSmtpMailer }, { parseSmtpUrl }] = await Promise.all([
        import('../../../adapters/mail/smtp.ts'),
        import('../../../adapters/mail/smtp-url.ts'),
      ]);
      const url = 'text' in server ? server.text : box.open(server.sealed);
      const logo = logoOf(current.get().logo);
      return await createSmtpMailer(parseSmtpUrl(url), { from, logo }).send(mail, stop);
    },
  }),
  { current: currentSettings, box: secretBox },
);
/** Whether mails leave this machine. */
export const sendsMail = part(
  ({ server }) =>
    () =>
      server() !== undefined,
  { server: nowSet('mail_server') },
);
/** Writes the texts of mails. */
const writeText = part(({ nameOf, logo, baseUrl }) => createLetters(nameOf, baseUrl, () => logo() !== ''), {
  nameOf: nowSet('site_name'),
  logo: nowSet('logo'),
  baseUrl: setting('BASE_URL'),
});
/** Writes letters to people, unless this service writes to nobody. */
export const writeLetter = part(({ write, isOff }): WriteLetter => (isOff ? () => undefined : write), {
  write: writeText,
  isOff: setting('SANDBOX'),
});
export const mails = part(createMails, { store: mailStore, write: writeText, clock });
export const notifications = part(createNotifications, { store: notificationStore, clock });
