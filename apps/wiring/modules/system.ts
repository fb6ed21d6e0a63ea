import { runAll } from '../../../adapters/http/health.ts';
import { createDatabaseFacts } from '../../../adapters/sql/database-facts.ts';
import { createShowLaunch } from '../../../core/administration/launch.ts';
import { createShowSystem } from '../../../core/administration/system.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { ReadSystem, WebhookReport } from '../../../core/ports/system-facts.ts';
import type { WebhookQueue } from '../../../core/ports/webhook-queue.ts';
import { hour } from '../../../core/time.ts';
import { clock, config, database, neededChecks, setting, warnings } from '../chosen.ts';
import { part } from '../part.ts';
import { version } from '../version.ts';
import { rateLimiter } from './limits.ts';
import { paymentSettings } from './payments.ts';
import { usdcPaying } from './purchases.ts';
import { currentSettings } from './settings.ts';
import { catalogue, invoiceProfileStore, orderStore, webhookQueue, workQueue } from './sql.ts';

/** The report on the system for administrators. */
export const system = part(
  ({ config, database, limiter, needed, warnings, queue, webhooks, clock }) => {
    const startedAt = clock.now() - Math.round(process.uptime() * 1000);
    const databaseFacts = createDatabaseFacts(database, clock);
    const { DATABASE_URL, FILES_URL, RATE_LIMIT_URL } = config;
    const read: ReadSystem = async () => {
      const [{ mails, ...facts }, checks, warned, work, delivery] = await Promise.all([
        databaseFacts(),
        runAll(needed),
        runAll(warnings),
        queue.backlog(clock.now()),
        reportOf(webhooks, clock.now()),
      ]);
      return {
        version,
        nodeVersion: process.version,
        startedAt,
        database: { kind: DATABASE_URL.kind, ...facts },
        files: FILES_URL.kind,
        limiter: { kind: RATE_LIMIT_URL.kind, state: limiter.state?.() ?? 'up' },
        checks: Object.fromEntries(checks),
        warnings: Object.fromEntries(warned),
        work,
        mails,
        webhooks: delivery,
      };
    };
    return createShowSystem(read);
  },
  {
    config,
    database,
    limiter: rateLimiter,
    needed: neededChecks,
    warnings,
    queue: workQueue,
    webhooks: webhookQueue,
    clock,
  },
);

/** What is left to do before the site is ready. */
export const showLaunch = part(createShowLaunch, {
  current: currentSettings,
  payments: paymentSettings,
  catalogue,
  orders: orderStore,
  profiles: invoiceProfileStore,
  usdc: usdcPaying,
  baseUrl: setting('BASE_URL'),
});

const nothing = { delivered: 0, failed: 0 };

async function reportOf(queue: WebhookQueue, now: Instant): Promise<WebhookReport> {
  const thisHour = now - (now % hour);
  const [backlog, hours] = await Promise.all([queue.backlog(now), queue.attemptsByHour(thisHour - hour)]);
  const attemptsIn = (at: Instant) => hours.find((one) => one.hour === at) ?? nothing;
  return { ...backlog, lastHour: attemptsIn(thisHour - hour), thisHour: attemptsIn(thisHour) };
}
