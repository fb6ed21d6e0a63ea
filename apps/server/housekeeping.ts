import { repeat } from '../../adapters/repeat.ts';
import { forgetOldUsage } from '../../core/accounts/usage.ts';
import { sweep } from '../../core/marketplace/sweep.ts';
import { removeIdleListeners } from '../../core/selling/idle-listeners.ts';
import { forgetOldEvents } from '../../core/webhooks/forgetting.ts';
import type { Parts } from '../wiring/compose.ts';
import { servesFiles } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import { soon } from './soon.ts';

const day = 24 * 3_600_000;

/**
 * Deletes files that have had no references for long enough, and old staged files. Returns the numbers of deleted
 * files.
 */
export async function cleanFiles(parts: Parts, stop?: AbortSignal): Promise<{ deleted: number; staged: number }> {
  const { DOWNLOAD_LINK_LIFETIME: lifetime } = await parts.get(t.config);
  const [files, references, ledger, clock] = [
    await parts.get(t.files),
    await parts.get(t.fileReferences),
    await parts.get(t.fileLedger),
    await parts.get(t.clock),
  ];
  const deleted = await sweep(files, references, ledger, clock, lifetime * 1000, stop);
  return { deleted, staged: await files.sweepStaging(clock.now() - day, stop) };
}

/** A part of the housekeeping. A failure of one does not stop the others. */
interface Job {
  /** Returns how much it has deleted, by kind. */
  work(): Promise<Readonly<Record<string, number>>>;
  /** The line of the log if it has deleted something. */
  readonly done: string;
  readonly failed: string;
}

/**
 * Deletes stored files without references, old mails, old notifications, old numbers of calls, unused listeners and old
 * events of webhooks, now and every day. Returns a function that stops this within a second.
 */
export async function keepHouse(parts: Parts): Promise<() => Promise<void>> {
  const config = await parts.get(t.config);
  // A license server has no files and does not need the signing secret.
  if (!servesFiles(config.SURFACE)) return async () => undefined;
  const log = await parts.get(t.log);
  const end = new AbortController();
  const jobs: readonly Job[] = [
    { work: () => cleanFiles(parts, end.signal), done: 'files swept', failed: 'sweep failed' },
    {
      work: async () => ({
        mails: await (await parts.get(t.mails)).forgetOld(),
        notifications: await (await parts.get(t.notifications)).forgetOld(),
      }),
      done: 'old mails and notifications deleted',
      failed: 'old mails and notifications could not be deleted',
    },
    {
      work: async () => ({ days: await forgetOldUsage(await parts.get(t.usageLog), await parts.get(t.clock)) }),
      done: 'old numbers of calls deleted',
      failed: 'old numbers of calls could not be deleted',
    },
    {
      work: async () => ({ events: await forgetOldEvents(await parts.get(t.webhookStore), await parts.get(t.clock)) }),
      done: 'old events of webhooks deleted',
      failed: 'old events of webhooks could not be deleted',
    },
    {
      work: async () => ({
        listeners: await removeIdleListeners(await parts.get(t.webhookStore), await parts.get(t.clock)),
      }),
      done: 'unused listeners removed',
      failed: 'unused listeners could not be removed',
    },
  ];
  const run = async ({ work, done, failed }: Job) => {
    try {
      const numbers = await work();
      if (Object.values(numbers).some((number) => number > 0)) log.info(numbers, done);
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, failed);
    }
  };
  const cleaning = repeat(async () => void (await Promise.all(jobs.map(run))), day);
  cleaning.now();
  return async () => {
    end.abort();
    await soon(cleaning.stop());
  };
}
