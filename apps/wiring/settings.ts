import { z } from 'zod';
import { signUpPolicies } from '../../core/accounts/sign-up-policy.ts';
import { reviewPolicies } from '../../core/marketplace/review-policy.ts';
import { chainVariables } from './chain-settings.ts';
import { paymentVariables } from './payment-settings.ts';
import { sandboxVariables } from './sandbox-settings.ts';
import {
  address,
  database,
  daysOrForever,
  files,
  formerKeys,
  httpUrl,
  mailbox,
  mailServer,
  oneOf,
  origins,
  proxies,
  publicUrl,
  rateLimit,
  replica,
  seconds,
  secretKey,
  storage,
  trueOrFalse,
  whole,
} from './setting-schemas.ts';
import { webhookVariables } from './webhook-settings.ts';

const port = whole(0, 65_535, 3000);
const perMinute = whole(1, 1_000_000_000, 60);
/** In bytes. The proxies in apps/deploy let a little more through: a zip with an image. */
const largestFile = 104_857_600;
const bytes = whole(1, 10_737_418_240, 5_242_880);

/** An environment variable. If it is not set or empty, `fallback` is used. */
export interface Variable {
  readonly fallback: string;
  readonly meaning: string;
  /** Its description says what the setting must be, with an example. */
  readonly schema: z.ZodType;
}

/** All settings. `--help` prints this table, and the configuration guide shows it. */
export const variables = {
  DATABASE_URL: {
    fallback: 'sqlite:./data/latchkey.db',
    meaning:
      'Database: `sqlite:<file>`, `postgres://…` (with several hosts, separated by commas, the first writable one is used), or `memory:` (SQLite in memory: data are lost when the process ends)',
    schema: database,
  },
  DATABASE_READ_URL: {
    fallback: '',
    meaning:
      'Replica of the Postgres in `DATABASE_URL`, for lists and `/status` (`postgres://…`, one host); empty: the primary is used for everything',
    schema: replica,
  },
  DATABASE_POOL_SIZE: {
    fallback: '10',
    meaning:
      'Size of the Postgres connection pool of a process, without the one connection for verifications; a replica gets a pool of the same size',
    schema: whole(1, 1_000, 10),
  },
  DATABASE_STATEMENT_TIMEOUT: {
    fallback: '15',
    meaning: 'Seconds after which Postgres cancels a statement (for verifications: 4 at most)',
    schema: seconds(0.1, 3_600, 15),
  },
  SECRET_KEY: {
    fallback: '',
    meaning:
      'Secret that signs links and previews, and encrypts the secrets of webhooks and the keys of leases, at least 32 characters; empty: the server creates one in a file `secret.key` beside the SQLite database, else in the folder of files',
    schema: secretKey,
  },
  SECRET_KEY_FORMER: {
    fallback: '',
    meaning:
      'Former values of `SECRET_KEY`, separated by commas: secrets in the database that were encrypted with them can still be read, and texts that prove domains stay valid',
    schema: formerKeys,
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
  SITE_NAME: {
    fallback: 'Latchkey',
    meaning: 'Name of the site on all pages, at most 60 characters',
    schema: z
      .string()
      .trim()
      .regex(/^\P{Cc}{1,60}$/u)
      .describe('a name of 1 to 60 characters on one line, such as Acme Licenses'),
  },
  SIGN_UP: {
    fallback: 'open',
    meaning:
      'Who can create an account: `open` (everybody with an e-mail address), `invite` (only people whom an administrator invites) or `closed` (nobody)',
    schema: oneOf(signUpPolicies, 'open'),
  },
  ...sandboxVariables,
  REVIEW: {
    fallback: 'first',
    meaning:
      'What administrators review: `first` (a product before it is published for the first time) or `every` (also a published product with a new zip or thumbnail)',
    schema: oneOf(reviewPolicies, 'first'),
  },
  SURFACE: {
    fallback: 'all',
    meaning:
      'APIs that are served: `license` (the license API), `account` (the account API, its pages and files), or `all`',
    schema: oneOf(['all', 'license', 'account'], 'all'),
  },
  WORKERS: { fallback: '1', meaning: 'Processes that share the port', schema: whole(1, 256, 4) },
  METRICS_PORT: {
    fallback: '',
    meaning: 'Port of `GET /metrics`, which must not be public; empty: no metrics',
    schema: z.literal('').or(port).describe('empty, or a whole number from 0 to 65535, such as 9464'),
  },
  METRICS_HOST: { fallback: '127.0.0.1', meaning: 'Address that `GET /metrics` listens on', schema: address },
  RATE_LIMIT_URL: {
    fallback: 'memory:',
    meaning:
      'Where calls are counted: `memory:`, `redis://…`, `redis+sentinel://<host>,<host>/<master>` or `redis+cluster://<host>,<host>` (shared by all processes; `rediss` for TLS), or `off:` (calls are not limited; those of sign-in, mails, sign-in codes and orders still are, by each process for itself)',
    schema: rateLimit,
  },
  RATE_LIMIT_ACTIVATE: { fallback: '30', meaning: 'Calls of activate per minute and address', schema: perMinute },
  RATE_LIMIT_DEACTIVATE: { fallback: '30', meaning: 'Calls of deactivate per minute and address', schema: perMinute },
  RATE_LIMIT_STATUS: { fallback: '60', meaning: 'Calls of status per minute and address', schema: perMinute },
  RATE_LIMIT_VERIFY: { fallback: '120', meaning: 'Calls of verify per minute and address', schema: perMinute },
  RATE_LIMIT_PAGES: {
    fallback: '600',
    meaning: 'Calls of pages, media, files and docs per minute and address',
    schema: perMinute,
  },
  RATE_LIMIT_HEALTH: { fallback: '6000', meaning: 'Calls of `/health/…` per minute and address', schema: perMinute },
  RATE_LIMIT_HOOKS: {
    fallback: '6000',
    meaning: 'Calls of `/hooks/…`, where Stripe sends its events, per minute and address',
    schema: perMinute,
  },
  TRUSTED_PROXIES: {
    fallback: '',
    meaning:
      'Proxies whose `X-Forwarded-For` is trusted: addresses, ranges (`10.0.0.0/8`), or `loopback`, `linklocal` and `uniquelocal`, separated by commas',
    schema: proxies,
  },
  FILES_URL: {
    fallback: 'disk:./data/files',
    meaning:
      'Where files are kept: `disk:<folder>`, `s3://<bucket>/<prefix>?endpoint=&region=&path_style=`, or `temporary:` (a folder that is deleted when the process ends)',
    schema: files,
  },
  MAX_ZIP_SIZE: {
    fallback: String(largestFile),
    meaning: 'Maximum size of an uploaded zip, in bytes',
    schema: bytes,
  },
  MAX_IMAGE_SIZE: { fallback: '5242880', meaning: 'Maximum size of an uploaded image, in bytes', schema: bytes },
  MAX_CSV_SIZE: {
    fallback: String(largestFile),
    meaning: 'Maximum size of a CSV file of licenses that a seller imports, in bytes',
    schema: whole(1, 10_737_418_240, largestFile),
  },
  STORAGE_FREE: { fallback: '1073741824', meaning: 'Bytes of files that a free account may keep', schema: storage },
  STORAGE_PRO: { fallback: '21474836480', meaning: 'Bytes of files that a pro account may keep', schema: storage },
  STORAGE_ENTERPRISE: {
    fallback: '214748364800',
    meaning: 'Bytes of files that an enterprise account may keep',
    schema: storage,
  },
  DOWNLOAD_LINK_LIFETIME: {
    fallback: '900',
    meaning: 'Seconds for which a download link is valid',
    schema: whole(1, 604_800, 900),
  },
  AUDIT_RETENTION: {
    fallback: 'forever',
    meaning: 'Days for which the audit trail is kept, or `forever`',
    schema: daysOrForever,
  },
  DEPLOYMENT_RETENTION: {
    fallback: '400',
    meaning: 'Days for which reported deployments are kept and counted, or `forever`',
    schema: daysOrForever,
  },
  API_KEY_PREFIX: {
    fallback: 'lk',
    meaning: "Prefix of this service's API keys: `lk_sk_live_…`",
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
    meaning:
      'Service that knows who bought which template elsewhere; empty: the purchases that administrators recorded',
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
  MAIL_URL: {
    fallback: 'outbox:',
    meaning:
      'Mail server: `smtp://<user>:<password>@<host>:<port>` (TLS by STARTTLS), `smtps://…` (TLS from the start), or `outbox:` (mails are not sent, but can be read with `latchkey-server mail`)',
    schema: mailServer,
  },
  MAIL_FROM: {
    fallback: '',
    meaning: 'Sender of mails: an address, or `Name <address>`; needed with a mail server',
    schema: mailbox,
  },
  ...webhookVariables,
  ...paymentVariables,
  ...chainVariables,
  REQUEST_TIMEOUT: {
    fallback: '600',
    meaning: 'Seconds that a client may take to send a request, uploads included',
    schema: seconds(1, 3_600, 600),
  },
  STOP_DELAY: {
    fallback: '0',
    meaning:
      'Seconds for which a stopping server still answers. Meanwhile `/health/ready` returns 503, and every response closes its connection',
    schema: seconds(0, 300, 5),
  },
  STALL_TIMEOUT: {
    fallback: '120',
    meaning: 'Seconds after which a client that reads nothing is disconnected',
    schema: seconds(0.1, 3_600, 30),
  },
  MAX_CONNECTIONS: {
    fallback: '5000',
    meaning:
      'Open connections of a process. At the limit, a new one replaces the oldest idle one, or else the one that has read nothing for the longest time; if there is none, it gets 503',
    schema: whole(1, 1_000_000, 5_000),
  },
  MAX_PIPELINED: {
    fallback: '16',
    meaning:
      'Requests of one connection that run at the same time. While more wait, its socket is not read. Not counting the first request of each connection, at most 32 requests of all connections run at the same time',
    schema: whole(1, 1_000, 16),
  },
  MAX_UNREAD: {
    fallback: '64',
    meaning:
      'Megabytes of responses that clients have not read, in the memory of a process. If there are more, it looks for the address with the most unread bytes, and closes the connection of that address that has read nothing for the longest time. While an address has a quarter of them, its further requests wait',
    schema: whole(1, 1_000_000, 64),
  },
  HSTS_INCLUDE_SUBDOMAINS: {
    fallback: 'false',
    meaning: '`true`: if the public address is `https:`, browsers must use HTTPS for all of its subdomains too',
    schema: trueOrFalse,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: '',
    meaning: 'Collector that traces are sent to, as JSON over HTTP (`http://localhost:4318`); empty: no tracing',
    schema: z.literal('').or(httpUrl).describe('an address with http:// or https://, such as http://localhost:4318'),
  },
  LOG_LEVEL: {
    fallback: 'info',
    meaning: '`trace`, `debug` (every verification too), `info`, `warn`, `error`, `fatal` or `silent`',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  },
  LOG_FORMAT: {
    fallback: 'auto',
    meaning:
      'How the log is written: `json` (a line for each event), `pretty` (for people), or `auto` (`pretty` on a terminal, else `json`)',
    schema: oneOf(['auto', 'json', 'pretty'], 'json'),
  },
} as const satisfies Record<string, Variable>;
