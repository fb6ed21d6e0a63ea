import { createTransport } from 'nodemailer';
import type { Mail, Mailbox } from '../../core/mail/mail.ts';
import type { Mailer } from '../../core/ports/mailer.ts';
import { refuse } from '../../core/refusal.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { logoInMail, type MailLogo } from '../contracts/mail-logo.ts';
import { describeSmtpError, isRefusedForGood } from './smtp-errors.ts';
import type { SmtpServer } from './smtp-url.ts';

interface Options {
  readonly from: Mailbox;
  /** Sent with mails that show it. */
  readonly logo?: MailLogo | undefined;
  /** Milliseconds for connecting, and for each answer of the server. */
  readonly silence?: number;
  /** Milliseconds for a whole attempt. Shorter than the lease of the work. */
  readonly most?: number;
}

/** Sends each mail on a connection of its own. */
export function createSmtpMailer(
  { host, port, isTls, needsTls, login }: SmtpServer,
  { from, logo, silence = 15_000, most = 50_000 }: Options,
): Mailer {
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    requireTLS: needsTls,
    // If TLS is optional, an attacker in between could remove it anyway. So the certificate is checked only if TLS is
    // required: many servers in local networks have certificates for other names.
    tls: { rejectUnauthorized: needsTls },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: silence,
    dnsTimeout: silence,
    greetingTimeout: silence,
    socketTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail, stop) {
      const attempt = new AbortController();
      const end = () => attempt.abort();
      const timer = setTimeout(end, most);
      stop.addEventListener('abort', end);
      try {
        stop.throwIfAborted();
        await transport.sendMail({ ...messageOf(mail, from, logo), signal: attempt.signal });
        return 'sent';
      } catch (error) {
        const text = attempt.signal.aborted
          ? 'The mail server took too long.'
          : describeSmtpError(error, login ? [login.user, login.password] : []);
        if (isRefusedForGood(error)) return refuse('refused_for_good', text);
        throw new Unavailable(text);
      } finally {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
      }
    },
  };
}

/** Name and address are passed apart, and the recipient of the envelope is not read from a header. */
function messageOf(
  { id, to, subject, text, html: written, createdAt }: Mail,
  from: Mailbox,
  logo: MailLogo | undefined,
) {
  const showsLogo = written.includes(`src="${logoInMail}"`);
  // The logo may have been removed since the mail was written.
  const html = showsLogo && !logo ? written.replace(new RegExp(`<img src="${logoInMail}"[^>]*>`), '') : written;
  const [domain] = from.address.split('@').slice(-1);
  return {
    from: { ...from },
    to: { ...to },
    envelope: { from: from.address, to: [to.address] },
    subject,
    text,
    html,
    ...(showsLogo && logo && { attachments: [attached(logo)] }),
    date: new Date(createdAt),
    // Always the same for one mail, so that a mail that was sent twice can be recognized.
    messageId: `<latchkey.${id}.${createdAt}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' }, // Otherwise absent people's programs would reply.
  };
}

function attached({ bytes: content, type }: MailLogo) {
  const [, extension = ''] = type.split('/');
  const cid = logoInMail.slice('cid:'.length);
  return { cid, content, contentType: type, filename: `logo.${extension}`, contentDisposition: 'inline' as const };
}
