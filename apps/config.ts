import proxyaddr from 'proxy-addr';
import { z } from 'zod';
import { parseS3Url } from '../adapters/files/s3-url.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const perMinute = z.coerce.number().int().min(1).max(1_000_000_000);
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const proxies = list.refine((ranges) => {
  try {
    return proxyaddr.compile(ranges);
  } catch {
    return false;
  }
}, 'must be addresses, ranges or `loopback`, `linklocal`, `uniquelocal`');
const publicUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

const database = z.string().transform((url, context) => {
  if (url === 'memory:') return { kind: 'memory' as const };
  if (/^sqlite:.+/.test(url)) return { kind: 'sqlite' as const, path: url.slice('sqlite:'.length) };
  if (/^postgres(?:ql)?:\/\/./.test(url)) return { kind: 'postgres' as const, url };
  context.addIssue('must be sqlite:<file>, postgres://… or memory:');
  return z.NEVER;
});

const rateLimit = z.string().transform((url, context) => {
  if (url === 'memory:') return { kind: 'memory' as const };
  if (url === 'off:') return { kind: 'off' as const };
  if (/^rediss?:\/\/./.test(url)) return { kind: 'redis' as const, url };
  context.addIssue('must be memory:, redis://… or off:');
  return z.NEVER;
});

const files = z.string().transform((url, context) => {
  if (url === 'temporary:') return { kind: 'temporary' as const };
  if (/^disk:.+/.test(url)) return { kind: 'disk' as const, folder: url.slice('disk:'.length) };
  if (!url.startsWith('s3://')) context.addIssue('must be disk:<folder>, s3://<bucket>… or temporary:');
  else {
    try {
      return { kind: 's3' as const, location: parseS3Url(url) };
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : 'is no address of a bucket');
    }
  }
  return z.NEVER;
});

const bytes = z.coerce.number().int().min(1).max(10_737_418_240);

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
    meaning: 'Where data are kept: `sqlite:<file>`, `postgres://…`, or `memory:` (nothing outlives the process)',
    schema: database,
  },
  DATABASE_POOL_SIZE: {
    fallback: '10',
    meaning: 'Connections to Postgres that a process may hold, beside one for verifications',
    schema: z.coerce.number().int().min(1).max(1_000),
  },
  DATABASE_STATEMENT_TIMEOUT: {
    fallback: '15',
    meaning: 'Seconds after which Postgres breaks a statement off',
    schema: z.coerce.number().min(0.1).max(3_600),
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
  SURFACE: {
    fallback: 'all',
    meaning: 'What is served: `license` (the license API), `account` (the account API, its pages and files), or `all`',
    schema: z.enum(['all', 'license', 'account']),
  },
  WORKERS: {
    fallback: '1',
    meaning: 'Processes that share the port',
    schema: z.coerce.number().int().min(1).max(256),
  },
  METRICS_PORT: {
    fallback: '',
    meaning: 'Port of `GET /metrics`, which is not for the public; empty: no metrics',
    schema: z.literal('').or(port),
  },
  METRICS_HOST: { fallback: '127.0.0.1', meaning: 'Address that `GET /metrics` listens on', schema: z.string().min(1) },
  RATE_LIMIT_URL: {
    fallback: 'memory:',
    meaning:
      'Where calls are counted: `memory:`, `redis://…` (by all processes together), or `off:` (nothing is limited)',
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
    schema: proxies,
  },
  FILES_URL: {
    fallback: 'disk:./data/files',
    meaning:
      'Where files are kept: `disk:<folder>`, `s3://<bucket>/<prefix>?endpoint=&region=&path_style=`, or `temporary:` (a folder that goes with the process)',
    schema: files,
  },
  MAX_ZIP_SIZE: { fallback: '104857600', meaning: 'Bytes that an uploaded zip may have', schema: bytes },
  MAX_IMAGE_SIZE: { fallback: '5242880', meaning: 'Bytes that an uploaded image may have', schema: bytes },
  DOWNLOAD_LINK_LIFETIME: {
    fallback: '900',
    meaning: 'Seconds that a download link is good for',
    schema: z.coerce.number().int().min(1).max(604_800),
  },
  API_KEY_PREFIX: {
    fallback: 'lk',
    meaning: "What this service's API keys start with: `lk_sk_live_…`",
    schema: z.string().regex(/^[a-z][a-z0-9]{0,15}$/, 'must be a short word of a-z and 0-9'),
  },
  ACCOUNT_ORIGINS: {
    fallback: '',
    meaning: 'Origins whose pages may call the account API from a browser, separated by commas',
    schema: list,
  },
  PURCHASE_CHECK_URL: {
    fallback: '',
    meaning: 'Service that knows who bought which template; empty: the purchases kept here',
    schema: z.literal('').or(publicUrl),
  },
  PURCHASE_CHECK_TOKEN: {
    fallback: '',
    meaning: 'Sent to that service as `Authorization: Bearer`',
    schema: z.string(),
  },
  REQUEST_TIMEOUT: {
    fallback: '600',
    meaning: 'Seconds that a client may take to send a request, uploads included',
    schema: z.coerce.number().min(1).max(3_600),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: '',
    meaning: 'Collector that traces are sent to, as JSON over HTTP (`http://localhost:4318`); empty: no tracing',
    schema: z.literal('').or(publicUrl),
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

/** Reads the settings of this process, but for those that are given. */
export function readConfigWith(given: Partial<Record<Name, string>>): Config {
  return readConfig({ ...process.env, ...given });
}

/** Keeps the AWS SDK from writing to standard error, once in each process, that it will leave Node 20; the README says so. */
export function silenceAwsWarning(): void {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
}

/** The settings of a service that got this port where any would do. */
export function atPort(config: Config, port: number): Config {
  const at = (url: string) => (url === `http://localhost:${config.PORT}` ? `http://localhost:${port}` : url);
  return { ...config, BASE_URL: at(config.BASE_URL), VERIFY_URL: at(config.VERIFY_URL) };
}
