import { setTimeout } from 'node:timers/promises';
import { forgetOldUsage } from '../../core/accounts/usage.ts';
import { removeEnded } from '../../core/licensing/ended-domains.ts';
import { straysKeptFor } from '../../core/licensing/strays.ts';
import { sweep } from '../../core/marketplace/sweep.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import { forgetUnpaidOrders } from '../../core/purchases/forgetting.ts';
import { remindOfEnds } from '../../core/selling/reminding.ts';
import { startOf, steps } from '../../core/selling/usage-hours.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import { day, hour, minute, second } from '../../core/time.ts';
import { forgetOldEvents, removeIdleListeners } from '../../core/webhooks/forgetting.ts';
import { tellExpired, tellVerified } from '../../core/webhooks/telling.ts';
import type { Parts } from '../wiring/compose.ts';
import { createFailureLog, type FailureLog } from '../wiring/failure-log.ts';
import { servesAccounts, servesFiles } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { deploymentJobs } from './deployment-jobs.ts';
import type { Job, Tools } from './job.ts';
import { describeLeftOut } from './left-out.ts';
import { sandboxDeletion } from './sandbox-job.ts';
import { soon } from './soon.ts';

/** Each day, deletes what is kept for a limited time. A license server has no files and does not need the signing secret. */
const daily: readonly Omit<Job, 'every' | 'when'>[] = [
  {
    name: 'sweep files',
    work: ({ parts, stop }) => cleanFiles(parts, stop),
    done: 'files swept',
    failed: 'sweep failed',
  },
  {
    name: 'forget mails',
    work: async ({ parts }) => ({
      mails: await (await parts.get(t.mails)).forgetOld(),
      notifications: await (await parts.get(t.notifications)).forgetOld(),
    }),
    done: 'old mails and notifications deleted',
    failed: 'old mails and notifications could not be deleted',
  },
  {
    name: 'forget usage',
    work: async ({ parts, clock }) => ({ days: await forgetOldUsage(await parts.get(t.usageLog), clock) }),
    done: 'old numbers of calls deleted',
    failed: 'old numbers of calls could not be deleted',
  },
  {
    name: 'forget events of webhooks',
    work: async ({ parts, clock }) => ({ events: await forgetOldEvents(await parts.get(t.webhookStore), clock) }),
    done: 'old events of webhooks deleted',
    failed: 'old events of webhooks could not be deleted',
  },
  {
    name: 'remove idle listeners',
    work: async ({ parts, clock }) => ({
      listeners: await removeIdleListeners(await parts.get(t.webhookStore), clock),
    }),
    done: 'unused listeners removed',
    failed: 'unused listeners could not be removed',
  },
  {
    name: 'forget unpaid orders',
    work: async ({ parts, clock }) => ({ orders: await forgetUnpaidOrders(await parts.get(t.orderStore), clock) }),
    done: 'orders deleted that nobody paid',
    failed: 'orders that nobody paid could not be deleted',
  },
  {
    name: 'forget the audit trail',
    work: async ({ parts, clock, config }) => ({
      events: await forgetBefore(await parts.get(t.auditLog), clock, config.AUDIT_RETENTION),
    }),
    done: 'old events of the audit trail deleted',
    failed: 'old events of the audit trail could not be deleted',
  },
  {
    name: 'forget strays',
    work: async ({ parts, clock }) => ({
      strays: await (await parts.get(t.strayStore)).forget(clock.now() - straysKeptFor),
    }),
    done: 'old foreign domains of licenses deleted',
    failed: 'old foreign domains of licenses could not be deleted',
  },
  {
    name: 'forget deployments',
    work: async ({ parts, clock, config }) => ({
      deployments: await forgetBefore(await parts.get(t.deploymentLog), clock, config.DEPLOYMENT_RETENTION),
    }),
    done: 'old deployments deleted',
    failed: 'old deployments could not be deleted',
  },
  {
    name: 'shrink the database',
    // What the others have deleted is free only after them.
    isLast: true,
    work: async ({ parts, stop }) => ({ pages: (await (await parts.get(t.database)).shrink?.(stop)) ?? 0 }),
    done: 'free pages returned to the disk',
    failed: 'free pages could not be returned to the disk',
  },
];

/** The daily jobs, as rows of the table of all jobs. */
export const housekeeping: readonly Job[] = daily.map((job) => ({ every: day, when: servesFiles, ...job }));

/** Finishes or undoes interrupted imports of licenses. One on another machine counts as interrupted when its lease has ended. */
export const importRecovery: Job = {
  name: 'recover imports',
  every: minute,
  when: () => true,
  async work({ parts, log, stop }) {
    const { undone, finished, leftOut } = await (await parts.get(t.issuing)).recoverImports(() => !stop.aborted);
    if (undone > 0) log.warn('undid a license import that was interrupted before all its lines were checked');
    if (finished > 0) log.warn('finished a license import that was interrupted after the check');
    if (leftOut.length > 0)
      log.warn(
        { leftOut: describeLeftOut(leftOut) },
        'some lines of an import were left out; the audit trail lists them',
      );
    return undefined;
  },
  failed: 'recovery of imports failed',
};

const jobs: readonly Job[] = [
  ...housekeeping,
  importRecovery,
  {
    name: 'count usage',
    // After each full hour, and every minute for a run that another process has not finished. Later at random: not all processes at once.
    every: (now) => Math.min(minute, startOf('hour', now) + steps.hour - now) + Math.random() * second,
    when: servesAccounts,
    async work({ parts, clock, log, stop }) {
      const began = performance.now();
      const result = await takeSnapshot(await parts.get(t.usageSnapshots), clock, () => !stop.aborted);
      if (result === 'taken') log.info({ ms: Math.round(performance.now() - began) }, 'figures of use counted');
      if (result === 'lost') log.warn('another process took over the counting of the figures of use');
      return undefined;
    },
    failed: 'the figures of use could not be counted',
  },
  {
    // They are invalid already.
    name: 'remove ended domains',
    every: 5 * minute,
    when: () => true,
    work: async ({ parts, clock, stop }) => ({
      domains: await removeEnded(await parts.get(t.licenseStore), clock, () => !stop.aborted),
    }),
    done: 'domains removed that were moved',
    failed: 'domains that were moved could not be removed',
  },
  {
    name: 'keep the keys of leases',
    every: hour,
    when: servesAccounts,
    async work({ parts }) {
      const leaseKeys = await parts.get(t.leaseKeys);
      await leaseKeys.keep();
      return { keys: await leaseKeys.forgetOld() };
    },
    done: 'old public keys of leases forgotten',
    failed: 'the key of leases cannot be kept, or old ones cannot be forgotten',
  },
  {
    name: 'follow paid plans',
    every: minute,
    when: servesAccounts,
    work: async ({ parts, stop }) => ({
      users: await (await parts.get(t.soldPlans)).follow(() => !stop.aborted),
    }),
    done: 'plans changed by what is paid',
    failed: 'plans cannot follow what is paid',
  },
  {
    name: 'remind of ends of licenses',
    every: minute,
    when: servesAccounts,
    async work({ parts, clock, stop }) {
      const [reminders, write] = [await parts.get(t.expiryReminders), await parts.get(t.writeLetter)];
      await remindOfEnds({ reminders, write, clock }, () => !stop.aborted);
      return undefined;
    },
    failed: 'nobody can be reminded of licenses that end soon',
  },
  ...deploymentJobs,
  sandboxDeletion,
  {
    // What a process has counted waits in its memory.
    name: 'store strays',
    every: minute,
    when: () => true,
    async work({ parts, stop }) {
      if (!(await parts.get(t.strayCounter)).isEmpty()) await (await parts.get(t.storeStrays))(() => !stop.aborted);
      return undefined;
    },
    failed: 'the foreign domains that ask with license keys could not be stored',
  },
  // The events of webhooks that no change adds.
  {
    name: 'tell webhooks of expiries',
    every: 15 * second,
    when: servesAccounts,
    async work({ parts, clock, stop }) {
      await tellExpired(await parts.get(t.webhookExpiries), clock, () => !stop.aborted);
      return undefined;
    },
    failed: 'webhooks cannot be told of licenses that have expired',
  },
  {
    name: 'tell webhooks of verifications',
    every: 15 * second,
    when: servesAccounts,
    async work({ parts, clock, log, stop }) {
      const result = await tellVerified(await parts.get(t.webhookVerifications), clock, () => !stop.aborted);
      if (result === 'lost') log.warn('another process took over the webhooks about verifications');
      return undefined;
    },
    failed: 'webhooks cannot be told of verifications',
  },
];

/** Starts the jobs of a server. Returns a function that stops them within a second. */
export async function startJobs(parts: Parts, started: readonly Job[] = jobs): Promise<() => Promise<void>> {
  const end = new AbortController();
  const [config, clock, log] = [await parts.get(t.config), await parts.get(t.clock), await parts.get(t.log)];
  const tools = { parts, config, clock, log, stop: end.signal };
  const own = started.filter(({ when }) => when(config.SURFACE));
  const intervals = new Set(own.map(({ every }) => every));
  const ended = [...intervals].map((every) =>
    keepDoing(
      every,
      own.filter((job) => job.every === every),
      tools,
    ),
  );
  return async () => {
    end.abort();
    await soon(Promise.all(ended));
  };
}

/** Runs the jobs of one interval until they are stopped. */
async function keepDoing(every: Job['every'], jobs: readonly Job[], tools: Tools): Promise<void> {
  const { clock, log, stop } = tools;
  const failures = new Map(jobs.map((job) => [job, createFailureLog(log, job.failed)]));
  const doAll = (some: readonly Job[]) => Promise.all(some.map((job) => doOnce(job, tools, failures.get(job))));
  while (!stop.aborted) {
    await doAll(jobs.filter(({ isLast }) => !isLast));
    await doAll(jobs.filter(({ isLast }) => isLast));
    const pause = typeof every === 'number' ? every : every(clock.now());
    await setTimeout(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}

async function doOnce(job: Job, tools: Tools, failures: FailureLog | undefined): Promise<void> {
  const { log, stop } = tools;
  try {
    const numbers = (await job.work(tools)) ?? {};
    if (job.done !== undefined && Object.values(numbers).some((number) => number > 0)) log.info(numbers, job.done);
    failures?.forget();
  } catch (error) {
    if (stop.aborted) return;
    if (job.every === day) failures?.forget(); // Of what runs once a day, every failure is logged.
    failures?.failed(error);
  }
}

/**
 * Deletes files that have had no references for long enough, and old staged files. Returns the numbers of deleted
 * files.
 */
export async function cleanFiles(parts: Parts, stop?: AbortSignal): Promise<{ deleted: number; staged: number }> {
  const [files, references, ledger, lifetime, clock] = [
    await parts.get(t.files),
    await parts.get(t.fileReferences),
    await parts.get(t.fileLedger),
    await parts.get(t.linkLifetime),
    await parts.get(t.clock),
  ];
  const deleted = await sweep(files, references, ledger, clock, lifetime, stop);
  return { deleted, staged: await files.sweepStaging(clock.now() - day, stop) };
}

async function forgetBefore(
  store: { forget(before: Instant): Promise<number> },
  clock: Clock,
  days: number | undefined,
): Promise<number> {
  return days === undefined ? 0 : await store.forget(clock.now() - days * day);
}
