import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const perMinute = z.coerce.number().int().min(1).max(1_000_000_000);
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const publicUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

const database = z.string().transform((url, context) => {
  if (url === 'memory:') return { kind: 'memory' as const };
  if (/^sqlite:.+/.test(url)) return { kind: 'sqlite' as const, path: url.slice('sqlite:'.length) };
  context.addIssue('must be sqlite:<file> or memory:');
  return z.NEVER;
});

const rateLimit = z.string().transform((url, context) => {
  if (url === 'memory:') return { kind: 'memory' as const };
  if (url === 'off:') return { kind: 'off' as const };
  context.addIssue('must be memory: or off:');
  return z.NEVER;
});

/** A setting: where it is not set, `fallback` stands for it as if it had been written there. */
interface Variable {
  readonly fallback: string;
  readonly meaning: string;
  readonly schema: z.ZodType;
}

/** Every setting there is. `--help` prints this table, and the README shows it. */
export const variables = {
  DATABASE_URL: {
    fallback: 'sqlite:./data/latchkey.db',
    meaning: 'Where licenses are kept: `sqlite:<file>`, or `memory:` (nothing outlives the process)',
    schema: database,
  },
  PORT: { fallback: '3000', meaning: 'Port of the service; 0 takes any free one', schema: port },
  HOST: { fallback: '0.0.0.0', meaning: 'Address that the service listens on', schema: z.string().min(1) },
  BASE_URL: {
    fallback: '',
    meaning: 'Public address of the account API; empty: `http://localhost:<PORT>`',
    schema: z.literal('').or(publicUrl),
  },
  VERIFY_URL: {
    fallback: '',
    meaning: 'Public address of the license API; empty: `BASE_URL`',
    schema: z.literal('').or(publicUrl),
  },
  METRICS_PORT: {
    fallback: '',
    meaning: 'Port of `GET /metrics`, which is not for the public; empty: no metrics',
    schema: z.literal('').or(port),
  },
  METRICS_HOST: { fallback: '127.0.0.1', meaning: 'Address that `GET /metrics` listens on', schema: z.string().min(1) },
  RATE_LIMIT_URL: {
    fallback: 'memory:',
    meaning: 'Where calls are counted: `memory:`, or `off:` (nothing is limited)',
    schema: rateLimit,
  },
  RATE_LIMIT_ACTIVATE: { fallback: '30', meaning: 'Calls of activate a minute and address', schema: perMinute },
  RATE_LIMIT_DEACTIVATE: { fallback: '30', meaning: 'Calls of deactivate a minute and address', schema: perMinute },
  RATE_LIMIT_STATUS: { fallback: '60', meaning: 'Calls of status a minute and address', schema: perMinute },
  RATE_LIMIT_VERIFY: { fallback: '120', meaning: 'Calls of verify a minute and address', schema: perMinute },
  TRUSTED_PROXIES: {
    fallback: '',
    meaning:
      'Proxies whose `X-Forwarded-For` is believed: addresses, ranges (`10.0.0.0/8`) or `loopback`, separated by commas',
    schema: list,
  },
  REQUEST_TIMEOUT: {
    fallback: '30',
    meaning: 'Seconds that a client may take to send a request',
    schema: z.coerce.number().min(1).max(3_600),
  },
  LOG_LEVEL: {
    fallback: 'info',
    meaning: '`debug` (every verification too), `info`, `warn`, `error` or `silent`',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Record<string, Variable>;

type Name = keyof typeof variables;
export type Config = { readonly [N in Name]: z.output<(typeof variables)[N]['schema']> };

/** A setting that cannot be used: one line that names it. */
export class WrongSetting extends Error {
  override readonly name = 'WrongSetting';
}

/** Reads the settings. Throws `WrongSetting` on the first that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const read = (name: Name) => {
    const { fallback, schema }: Variable = variables[name];
    const given = environment[name] || fallback;
    const result = schema.safeParse(given);
    if (!result.success) {
      throw new WrongSetting(`${name}=${given} is not usable: ${result.error.issues[0]?.message}`);
    }
    return [name, result.data];
  };
  const names = Object.keys(variables) as Name[];
  const config = Object.fromEntries(names.map(read)) as Config;
  const baseUrl = config.BASE_URL || `http://localhost:${config.PORT}`;
  return { ...config, BASE_URL: baseUrl, VERIFY_URL: config.VERIFY_URL || baseUrl };
}
