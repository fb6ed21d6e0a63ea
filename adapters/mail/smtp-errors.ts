import { networkTroubleOf } from '../system-error.ts';

const longest = 300;

/** The codes of nodemailer. */
const causes: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server does not accept the user or the password of MAIL_URL',
  ENOAUTH: 'The mail server does not accept the user or the password of MAIL_URL',
  ETIMEDOUT: 'The mail server does not answer',
  EDNS: 'The host of MAIL_URL is unknown',
  ETLS: 'The mail server offers no TLS that can be trusted',
  EENVELOPE: 'The mail server refused the mail',
  EMESSAGE: 'The mail server refused the mail',
};
const other = 'The connection to the mail server failed';

/**
 * Whether the server has refused this recipient or this text permanently. A refused sender or password is a fault of
 * the settings, which can be corrected before the next attempt.
 */
export function isRefusedForGood(error: unknown): boolean {
  const { command, responseCode } = fieldsOf(error);
  return (command === 'RCPT TO' || command === 'DATA') && responseCode >= 500 && responseCode < 600;
}

/** Describes an error in one line. Removes `secrets` from the text of the server, also in Base64. */
export function describeSmtpError(error: unknown, secrets: readonly string[]): string {
  const { code, response, message } = fieldsOf(error);
  const cause = networkTroubleOf(error) === 'silent' ? causes.ETIMEDOUT : causes[code];
  // The server may repeat what it received. A password must not be in what it repeats.
  const detail = code === 'EAUTH' ? response.slice(0, 3) : response || message;
  const line = `${cause ?? other}: ${detail}`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return `${[...withoutSecrets(line, secrets)]
    .slice(0, longest)
    .join('')
    .replace(/[:.\s]+$/, '')}.`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const [user = '', password = ''] = secrets;
  const sent = [...secrets, `\0${user}\0${password}`];
  const forms = sent.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
  return forms.filter((form) => form !== '').reduce((rest, form) => rest.replaceAll(form, '…'), text);
}

function fieldsOf(error: unknown) {
  const fields: { code?: unknown; command?: unknown; response?: unknown; responseCode?: unknown; message?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  const { code, command, response, responseCode, message } = fields;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(code),
    command: text(command),
    response: text(response),
    message: text(message),
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  };
}
