import type { MailState } from '../mail/mail.ts';
import type { WorkKind } from '../work/work.ts';
import type { Instant } from './clock.ts';
import type { WebhookBacklog } from './webhook-queue.ts';
import type { HourOfAttempts } from './webhook-store.ts';
import type { Backlog } from './work-queue.ts';

type Results = Readonly<Record<string, 'ok' | 'down'>>;

/** The state of the running system, for administrators. Contains no secrets, and no addresses of other servers. */
export interface SystemReport {
  readonly version: string;
  readonly nodeVersion: string;
  /** When this process started. */
  readonly startedAt: Instant;
  readonly database: DatabaseReport;
  readonly files: 'disk' | 's3' | 'temporary';
  readonly limiter: {
    readonly kind: 'redis' | 'memory' | 'off';
    /** `down`: Redis cannot be reached, and each process counts for itself. */
    readonly state: 'up' | 'down';
  };
  /** The checks of the things without which this process cannot work. */
  readonly checks: Results;
  /** The checks of the things without which it can still work. */
  readonly warnings: Results;
  readonly work: Readonly<Record<WorkKind, Backlog>>;
  readonly mails: Readonly<Record<MailState, number>>;
  readonly webhooks: WebhookReport;
}

/** How webhooks are delivered, by all processes together. */
export interface WebhookReport extends WebhookBacklog {
  /** The attempts of the last full hour. */
  readonly lastHour: Attempts;
  /** The attempts since then. */
  readonly thisHour: Attempts;
}

type Attempts = Pick<HourOfAttempts, 'delivered' | 'failed'>;

/** The size of the database. May be a minute old. */
export interface DatabaseReport {
  readonly kind: 'sqlite' | 'memory' | 'postgres';
  readonly bytes: number;
  /** The number of rows of each table, by its name. */
  readonly rows: Readonly<Record<string, number>>;
  /** Whether the numbers of large tables are estimates. */
  readonly areEstimates: boolean;
}

/** Collects the facts. A part that is down does not make it fail, but the database must answer. */
export type ReadSystem = () => Promise<SystemReport>;
