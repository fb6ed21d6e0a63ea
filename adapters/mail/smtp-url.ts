/** A mail server, and how to connect to it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start of the connection. */
  readonly isTls: boolean;
  /** Whether mails may only be sent over TLS with a valid certificate. */
  readonly needsTls: boolean;
  readonly login?: { readonly user: string; readonly password: string };
}

/** The message says what is wrong. It repeats nothing of the URL, because that may contain a password. */
export class WrongSmtpUrl extends TypeError {
  override readonly name = 'WrongSmtpUrl';
}

const unreadable =
  'cannot be read; in a user or password, write %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %';
const parts = /^smtps?:\/\/(?:(?<login>[^@/?#]*)@)?(?<place>[^@/?#]+)\/?(?:\?(?<query>[^@#]*))?$/;

/**
 * Parses `smtp://user:password@host:port?starttls=required|optional` and `smtps://user:password@host:port`. With a
 * password, STARTTLS is required unless it is set to `optional`: otherwise anybody in between could read the password.
 * Throws `WrongSmtpUrl`.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const { login = '', place = '', query = '' } = parts.exec(text)?.groups ?? {};
  const url = URL.canParse(`smtp://${place}`) ? new URL(`smtp://${place}`) : undefined;
  if (!url?.hostname) throw new WrongSmtpUrl(unreadable);
  const isTls = text.startsWith('smtps:');
  const end = login.indexOf(':');
  const user = decoded(end < 0 ? login : login.slice(0, end));
  const password = end < 0 ? '' : decoded(login.slice(end + 1));
  if ((user === '') !== (password === '')) throw new WrongSmtpUrl('must have both a user and a password, or neither');
  const given = new URLSearchParams(query);
  const starttls = given.get('starttls') ?? (password === '' ? 'optional' : 'required');
  const isKnown = [...given.keys()].every((name) => name === 'starttls') && ['required', 'optional'].includes(starttls);
  if (!isKnown || (isTls && query !== '')) {
    throw new WrongSmtpUrl('has an unknown parameter; the only one is starttls=required or optional, with smtp://');
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 465 : 587)),
    isTls,
    needsTls: isTls || starttls === 'required',
    ...(user !== '' && { login: { user, password } }),
  };
}

/** Returns what is wrong with the URL of a mail server, or `undefined`. Repeats nothing of it. */
export function mistakeInSmtpUrl(text: string): string | undefined {
  try {
    parseSmtpUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof WrongSmtpUrl) return error.message;
    throw error;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongSmtpUrl(unreadable);
  }
}
