import proxyaddr from 'proxy-addr';
import { z } from 'zod';
import { parseS3Url } from '../../adapters/files/s3/url.ts';
import { isRedisUrl, parseRedisUrl, WrongRedisUrl } from '../../adapters/limits/redis-url.ts';
import { parseSmtpUrl, WrongSmtpUrl } from '../../adapters/mail/smtp-url.ts';
import { parseNetworks, WrongNetwork } from '../../adapters/public-addresses.ts';
import { addressesIn } from '../../adapters/sql/postgres/url.ts';
import { parseMailbox } from '../../core/mail/mailbox.ts';

// The schemas of the settings. Each description says what is expected, with an example. Issues are shown to people, so
// they must not contain the value, which may be a secret.

const otherForm = 'it has none of these forms';

export const whole = (min: number, max: number, example: number) =>
  z.coerce.number().int().min(min).max(max).describe(`a whole number from ${min} to ${max}, such as ${example}`);
/** Bytes of files that an account may keep. */
export const storage = whole(0, 1_125_899_906_842_624, 1_073_741_824);
export const seconds = (min: number, max: number, example: number) =>
  z.coerce.number().min(min).max(max).describe(`seconds from ${min} to ${max}, such as ${example}`);
/** Returns the number of days, or `undefined` for no end. */
export const daysOrForever = z
  .literal('forever')
  .transform(() => undefined)
  .or(z.coerce.number().int().min(1).max(36_500))
  .describe('a whole number of days from 1 to 36500, or forever, such as 400');
export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names, example: Names[number]) =>
  z.enum(names).describe(`one of ${names.join(', ')}, such as ${example}`);

export const trueOrFalse = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .describe('true or false, such as true');

export const secretKey = z
  .literal('')
  .or(z.string().trim().min(32))
  .describe('a secret of at least 32 characters, such as the output of `openssl rand -hex 32`');

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const formerKeys = list
  .refine((keys) => keys.every((key) => key.length >= 32), 'one of them is shorter')
  .describe('secrets of at least 32 characters, separated by commas, such as 0123456789abcdef0123456789abcdef');

export const address = z
  .string()
  .regex(/^[\w.:%-]+$/)
  .describe('an address or name of this machine, such as 127.0.0.1 or 0.0.0.0 for all');
export const proxies = list
  .refine((ranges) => {
    try {
      return proxyaddr.compile(ranges);
    } catch {
      return false;
    }
  }, 'one entry is not an address, a range or one of these words')
  .describe('addresses, ranges or loopback, linklocal, uniquelocal, separated by commas, such as loopback,10.0.0.0/8');
export const networks = list
  .transform((ranges, context) =>
    unlessWrong(context, WrongNetwork, () => {
      parseNetworks(ranges);
      return ranges;
    }),
  )
  .describe('addresses and ranges separated by commas, such as 10.1.0.0/16,fd00::/8');
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));
export const publicUrl = (example: string) =>
  z
    .literal('')
    .or(httpUrl.refine((url) => !hasCredentials(url), 'it has a user or password'))
    .describe(`an address with http:// or https:// and without user and password, such as ${example}`);

export const database = z
  .string()
  .transform((url, context) => {
    if (url === 'memory:') return { kind: 'memory' as const };
    if (/^sqlite:.+/.test(url)) return { kind: 'sqlite' as const, path: url.slice('sqlite:'.length) };
    // The host may be missing if a parameter names it.
    const addresses = addressesIn(url);
    const isRead =
      /^postgres(?:ql)?:\/\/./.test(url) && addresses.every((one) => isReadable(one.replace('@/', '@localhost/')));
    const mistake = isRead ? mistakeInHosts(addresses) : mistakeInAddress(url);
    if (mistake === undefined) return { kind: 'postgres' as const, url };
    context.addIssue(mistake);
    return z.NEVER;
  })
  .describe(
    'sqlite:<file>, postgres://<user>:<password>@<host>/<database> (or several hosts with commas between them) or memory:, such as sqlite:./data/latchkey.db',
  );

export const replica = z
  .literal('')
  .or(
    z.string().transform((url, context) => {
      const isPostgres = /^postgres(?:ql)?:\/\/./.test(url);
      if (isPostgres && addressesIn(url).length > 1) context.addIssue('it must name one host');
      else if (isPostgres && isReadable(url.replace('@/', '@localhost/'))) return url;
      else context.addIssue(mistakeInAddress(url));
      return z.NEVER;
    }),
  )
  .describe('empty, or postgres://<user>:<password>@<host>/<database>, such as postgres://latchkey@standby/latchkey');

/**
 * Returns the result. Reports an error of the class `wrong` with its message, and any other error without its message.
 */
function unlessWrong<T>(context: z.RefinementCtx, wrong: new (...args: never[]) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    context.addIssue(error instanceof wrong ? `it ${error.message}` : otherForm);
    return z.NEVER;
  }
}

export const rateLimit = z
  .string()
  .transform((url, context) => {
    if (url === 'memory:') return { kind: 'memory' as const };
    if (url === 'off:') return { kind: 'off' as const };
    if (isRedisUrl(url)) {
      return unlessWrong(context, WrongRedisUrl, () => {
        parseRedisUrl(url);
        return { kind: 'redis' as const, url };
      });
    }
    context.addIssue(otherForm);
    return z.NEVER;
  })
  .describe(
    'memory:, redis://<host>, redis+sentinel://<host>,<host>/<master>, redis+cluster://<host>,<host> (or rediss for TLS) or off:, such as redis://127.0.0.1:6379',
  );
export const files = z
  .string()
  .transform((url, context) => {
    if (url === 'temporary:') return { kind: 'temporary' as const };
    if (/^disk:.+/.test(url)) return { kind: 'disk' as const, folder: url.slice('disk:'.length) };
    if (url.startsWith('s3://')) {
      return unlessWrong(context, Error, () => ({ kind: 's3' as const, location: parseS3Url(url) }));
    }
    context.addIssue(otherForm);
    return z.NEVER;
  })
  .describe('disk:<folder>, s3://<bucket> or temporary:, such as disk:./data/files');

export const mailServer = z
  .string()
  .transform((url, context) => {
    if (url === 'outbox:') return { kind: 'outbox' as const };
    if (/^smtps?:/.test(url)) {
      return unlessWrong(context, WrongSmtpUrl, () => ({ kind: 'smtp' as const, server: parseSmtpUrl(url) }));
    }
    context.addIssue(otherForm);
    return z.NEVER;
  })
  .describe(
    'outbox:, smtp://<user>:<password>@<host>:<port> or smtps://<user>:<password>@<host>, such as smtp://mail.example.com:587',
  );

export const mailbox = z
  .string()
  .transform((text, context) => {
    if (text === '') return undefined;
    const found = parseMailbox(text);
    if (found) return found;
    context.addIssue('it has neither form');
    return z.NEVER;
  })
  .describe('an e-mail address or Name <address>, such as latchkey@example.com');

export const origins = list
  .superRefine((all, context) => {
    for (const [index, origin] of all.entries()) {
      const mistake = mistakeInOrigin(origin);
      if (mistake) context.addIssue(`number ${index + 1} ${mistake}`);
    }
  })
  .describe(
    'origins (scheme, host and port) separated by commas, such as https://app.example.com,http://localhost:5173',
  );

function hasCredentials(text: string): boolean {
  const url = new URL(text);
  return url.username !== '' || url.password !== '';
}

/** Whether an address is parsed as intended. An unescaped `/`, `?` or `#` in a password would end it too early. */
export function isReadable(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) return false;
  try {
    decodeURIComponent(`${url.username}${url.password}${url.pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** Returns why the addresses of one or several Postgres hosts cannot be used, or `undefined` if they can. */
function mistakeInHosts(addresses: readonly string[]): string | undefined {
  const hasHost = (address: string) => URL.canParse(address) && new URL(address).hostname !== '';
  if (addresses.length > 1 && !addresses.every(hasHost)) return 'one of its hosts is missing';
  const target = /[?&]target_session_attrs=([^&]*)/.exec(addresses[0] ?? '')?.[1] ?? 'read-write';
  return ['read-write', 'primary'].includes(target)
    ? undefined
    : 'its target_session_attrs must be read-write: a server has to write';
}

function mistakeInAddress(url: string): string {
  return /^(?:postgres|postgresql):\/\/./.test(url)
    ? 'it cannot be read; in a user or password, write %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %'
    : otherForm;
}

/** Returns why browsers never send this text as `Origin`, or `undefined` if they can. */
function mistakeInOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^[a-z][a-z\d+.-]*:\/\/[^/]/i.test(text)) return 'has no scheme and host';
  if (url.username !== '' || url.password !== '') return 'has a user or password, which no origin has';
  if (url.pathname.length + url.search.length + url.hash.length > 1 || text.endsWith('/')) {
    return 'ends with a slash or has a path, which no origin has: leave out everything after host and port';
  }
  // For other schemes, such as those of mobile apps, `URL` has no origin.
  const origin = /^https?:$/.test(url.protocol) ? url.origin : text.toLowerCase();
  return text === origin ? undefined : 'is not written as browsers send it: lower case, without the port of its scheme';
}
