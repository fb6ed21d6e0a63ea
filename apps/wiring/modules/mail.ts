import { ContainerModule } from 'inversify';
import { createLetters } from '../../../adapters/http/ui/mail/letters.tsx';
import { outbox } from '../../../adapters/mail/outbox.ts';
import { createMails } from '../../../core/administration/mails.ts';
import { createBell } from '../bell.ts';
import { t } from '../tokens.ts';
import { workerFor } from '../work.ts';

/** Mails, and the queue through which they are sent. */
export const mail = new ContainerModule(({ bind }) => {
  bind(t.workBell).toResolvedValue(createBell);
  bind(t.mailer).toResolvedValue(
    async ({ MAIL_URL: place, MAIL_FROM: from }) => {
      if (place.kind === 'outbox' || from === undefined) return outbox;
      const { createSmtpMailer } = await import('../../../adapters/mail/smtp.ts');
      return createSmtpMailer(place.server, { from });
    },
    [t.config],
  );
  bind(t.writeLetter).toResolvedValue(({ SITE_NAME: site, BASE_URL: url }) => createLetters(site, url), [t.config]);
  bind(t.mails).toResolvedValue(createMails, [t.mailStore, t.writeLetter, t.clock]);
  bind(t.createWorker).toResolvedValue(workerFor, [
    t.workQueue,
    t.mailStore,
    t.mailer,
    t.settleOrder,
    t.clock,
    t.log,
    t.instruments,
  ]);
});
