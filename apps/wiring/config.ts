import { z } from 'zod';
import {
  address,
  database,
  files,
  httpUrl,
  oneOf,
  origins,
  proxies,
  publicUrl,
  rateLimit,
  replica,
  seconds,
  secretKey,
  trueOrFalse,
  whole,
} from './setting-schemas.ts';

const port = whole(0, 65_535, 3000);
const perMinute = whole(1, 1_000_000_000, 60);
const bytes = whole(1, 10_737_418_240, 5_242_880);
const storage = whole(0, 1_125_899_906_842_624, 1_073_741_824);

/** A setting: where it is not set, `fallback` stands for it as if it had been written there. */
interface Variable {
  readonly fallback: string;
  readonly meaning: string;
  /** Its description is what the setting must be, with an example. */
  readonly schema: z.ZodType;
}

/** Every setting there is. `--help` prints this table, and apps/docs/configuration.md shows it. */
export const variables = {
  DATABASE_URL: {
    fallback: 'sqlite:./data/latchkey.db',
    meaning:
      'Where data are kept: `sqlite:<file>`, `postgres://…` (of several hosts with commas between them, the first that can be written), or `memory:` (SQLite too; nothing outlives the process)',
    schema: database,
  },
  DATABASE_READ_URL: {
    fallback: '',
    meaning:
      'A replica of the Postgres of `DATABASE_URL`, which answers lists and `/status` (`postgres://…`, one host); empty: the primary answers all',
    schema: replica,
  },
  DATABASE_POOL_SIZE: {
    fallback: '10',
    meaning:
      'Connections to Postgres that a process may hold, beside one for verifications; as many to the replica, if there is one',
    schema: whole(1, 1_000, 10),
  },
  DATABASE_STATEMENT_TIMEOUT: {
    fallback: '15',
    meaning: 'Seconds after which Postgres breaks a statement off (one that verifies: after 4 at most)',
    schema: seconds(0.1, 3_600, 15),
  },
  SECRET_KEY: {
    fallback: '',
    meaning:
      'What links and previews are signed with, at least 32 characters; empty: a file `secret.key` beside the SQLite database, else in the folder of files',
    schema: secretKey,
  },
  PORT: { fallback: '3000', meaning: 'Port of the service; 0 takes any free one', schema: port },
  HOST: { fallback: '0.0.0.0', meaning: 'Address that the service listens on', schema: address },
  BASE_URL: {
    fallback: '',
    meaning: 'Public address of the account API; empty: `http://localhost:<PORT>`',
    schema: publicUrl('https://api.example.com'),
  },
  VERIFY_URL: {
    fallback: '',
    meaning: 'Public address of the license API; empty: `BASE_URL`',
    schema: publicUrl('https://license.example.com'),
  },
  SURFACE: {
    fallback: 'all',
    meaning: 'What is served: `license` (the license API), `account` (the account API, its pages and files), or `all`',
    schema: oneOf(['all', 'license', 'account'], 'all'),
  },
  WORKERS: {
    fallback: '1',
    meaning: 'Processes that share the port',
    schema: whole(1, 256, 4),
  },
  METRICS_PORT: {
    fallback: '',
    meaning: 'Port of `GET /metrics`, which is not for the public; empty: no metrics',
    schema: z.literal('').or(port).describe('empty, or a whole number from 0 to 65535, such as 9464'),
  },
  METRICS_HOST: { fallback: '127.0.0.1', meaning: 'Address that `GET /metrics` listens on', schema: address },
  RATE_LIMIT_URL: {
    fallback: 'memory:',
    meaning:
      'Where calls are counted: `memory:`, `redis://…`, `redis+sentinel://<host>,<host>/<master>` or `redis+cluster://<host>,<host>` (by all processes together; `rediss` for TLS), or `off:` (nothing is limited)',
    schema: rateLimit,
  },
  RATE_LIMIT_ACTIVATE: { fallback: '30', meaning: 'Calls of activate a minute and address', schema: perMinute },
  RATE_LIMIT_DEACTIVATE: { fallback: '30', meaning: 'Calls of deactivate a minute and address', schema: perMinute },
  RATE_LIMIT_STATUS: { fallback: '60', meaning: 'Calls of status a minute and address', schema: perMinute },
  RATE_LIMIT_VERIFY: { fallback: '120', meaning: 'Calls of verify a minute and address', schema: perMinute },
  RATE_LIMIT_PAGES: {
    fallback: '600',
    meaning: 'Calls of pages, media, files and docs a minute and address',
    schema: perMinute,
  },
  RATE_LIMIT_HEALTH: { fallback: '6000', meaning: 'Calls of `/health/…` a minute and address', schema: perMinute },
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
  STORAGE_FREE: { fallback: '1073741824', meaning: 'Bytes of files that a free account may keep', schema: storage },
  STORAGE_PRO: { fallback: '21474836480', meaning: 'Bytes of files that a pro account may keep', schema: storage },
  STORAGE_ENTERPRISE: {
    fallback: '214748364800',
    meaning: 'Bytes of files that an enterprise account may keep',
    schema: storage,
  },
  DOWNLOAD_LINK_LIFETIME: {
    fallback: '900',
    meaning: 'Seconds that a download link is good for',
    schema: whole(1, 604_800, 900),
  },
  API_KEY_PREFIX: {
    fallback: 'lk',
    meaning: "What this service's API keys start with: `lk_sk_live_…`",
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,15}$/)
      .describe('a short word of a-z and 0-9, such as lk'),
  },
  ACCOUNT_ORIGINS: {
    fallback: '',
    meaning:
      'Origins whose pages may call the account API from a browser, separated by commas: scheme, host and port, without a slash at the end',
    schema: origins,
  },
  PURCHASE_CHECK_URL: {
    fallback: '',
    meaning: 'Service that knows who bought which template; empty: the purchases kept here',
    schema: publicUrl('https://shop.example.com/purchases'),
  },
  PURCHASE_CHECK_TOKEN: {
    fallback: '',
    meaning: 'Sent to that service as `Authorization: Bearer`',
    schema: z
      .string()
      .regex(/^[\x20-\x7e]*$/)
      .describe('letters, digits and signs of ASCII on one line, such as 4f9c2a71d0'),
  },
  REQUEST_TIMEOUT: {
    fallback: '600',
    meaning: 'Seconds that a client may take to send a request, uploads included',
    schema: seconds(1, 3_600, 600),
  },
  STOP_DELAY: {
    fallback: '0',
    meaning:
      'Seconds for which a server that is told to stop still answers, while `/health/ready` is 503 and every answer ends its connection',
    schema: seconds(0, 300, 5),
  },
  STALL_TIMEOUT: {
    fallback: '120',
    meaning: 'Seconds after which a client that reads nothing is cut off',
    schema: seconds(0.1, 3_600, 30),
  },
  MAX_CONNECTIONS: {
    fallback: '5000',
    meaning:
      'Connections that a process holds at once. At the limit, a new one replaces the oldest idle one, or else the one that has read nothing for the longest time; if there is none, it gets 503',
    schema: whole(1, 1_000_000, 5_000),
  },
  MAX_PIPELINED: {
    fallback: '16',
    meaning:
      'Requests of one connection that run at once. While more wait, its socket is not read. All connections together may run 32 beyond the first of each',
    schema: whole(1, 1_000, 16),
  },
  HSTS_INCLUDE_SUBDOMAINS: {
    fallback: 'false',
    meaning:
      '`true`: browsers that see an `https:` address of this service are told to use HTTPS for all of its subdomains too',
    schema: trueOrFalse,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: '',
    meaning: 'Collector that traces are sent to, as JSON over HTTP (`http://localhost:4318`); empty: no tracing',
    schema: z.literal('').or(httpUrl).describe('an address with http:// or https://, such as http://localhost:4318'),
  },
  LOG_LEVEL: {
    fallback: 'info',
    meaning: '`debug` (every verification too), `info`, `warn`, `error` or `silent`',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  },
  LOG_FORMAT: {
    fallback: 'auto',
    meaning:
      'How the log is written: `json` (a line for each event), `pretty` (for people), or `auto` (`pretty` on a terminal, else `json`)',
    schema: oneOf(['auto', 'json', 'pretty'], 'json'),
  },
} as const satisfies Record<string, Variable>;

type Name = keyof typeof variables;
export type Config = { readonly [N in Name]: z.output<(typeof variables)[N]['schema']> };

/** A setting that cannot be used: one line that names it and says what it must be. The value may be a secret: it is never told. */
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
      const [issue] = result.error.issues;
      const mistake = issue?.code === 'custom' ? `: ${issue.message}` : '';
      throw new WrongSetting(`${name} must be ${schema.description}${mistake}.`);
    }
    return [name, result.data];
  };
  const names = Object.keys(variables) as Name[];
  const config = Object.fromEntries(names.map(read)) as Config;
  if (config.DATABASE_READ_URL !== '' && config.DATABASE_URL.kind !== 'postgres') {
    throw new WrongSetting(
      'DATABASE_READ_URL is for Postgres only: leave it empty, or let DATABASE_URL name a Postgres.',
    );
  }
  const baseUrl = config.BASE_URL || `http://localhost:${config.PORT}`;
  return { ...config, BASE_URL: baseUrl, VERIFY_URL: config.VERIFY_URL || baseUrl };
}

/** Reads the settings, except those that are given. */
export function readConfigWith(
  given: Partial<Record<Name, string>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  return readConfig({ ...environment, ...given });
}

/** Keeps the AWS SDK from writing to standard error, once in each process, that it will leave Node 20; the guide to operating says so. */
export function silenceAwsWarning(): void {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
}

/** The settings of a service that got this port where any would do. */
export function atPort(config: Config, port: number): Config {
  const at = (url: string) => (url === `http://localhost:${config.PORT}` ? `http://localhost:${port}` : url);
  return { ...config, BASE_URL: at(config.BASE_URL), VERIFY_URL: at(config.VERIFY_URL) };
}
