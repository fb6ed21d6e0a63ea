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
  const clean = async () => {
    try {
      const { deleted, staged } = await cleanFiles(parts, end.signal);
      if (deleted + staged > 0) log.info({ deleted, staged }, 'files swept');
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, 'sweep failed');
    }
  };
  const forget = async () => {
    try {
      const mails = await (await parts.get(t.mails)).forgetOld();
      const notifications = await (await parts.get(t.notifications)).forgetOld();
      if (mails + notifications > 0) log.info({ mails, notifications }, 'old mails and notifications deleted');
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, 'old mails and notifications could not be deleted');
    }
  };
  const forgetUsage = async () => {
    try {
      const days = await forgetOldUsage(await parts.get(t.usageLog), await parts.get(t.clock));
      if (days > 0) log.info({ days }, 'old numbers of calls deleted');
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, 'old numbers of calls could not be deleted');
    }
  };
  const forgetWebhooks = async () => {
    try {
      const events = await forgetOldEvents(await parts.get(t.webhookStore), await parts.get(t.clock));
      if (events > 0) log.info({ events }, 'old events of webhooks deleted');
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, 'old events of webhooks could not be deleted');
    }
  };
  const removeListeners = async () => {
    try {
      const listeners = await removeIdleListeners(await parts.get(t.webhookStore), await parts.get(t.clock));
      if (listeners > 0) log.info({ listeners }, 'unused listeners removed');
    } catch (error) {
      if (!end.signal.aborted) log.error({ err: error }, 'unused listeners could not be removed');
    }
  };
  const jobs = [clean, forget, forgetUsage, forgetWebhooks, removeListeners];
  const cleaning = repeat(async () => void (await Promise.all(jobs.map((job) => job()))), day);
  cleaning.now();
  return async () => {
    end.abort();
    await soon(cleaning.stop());
  };
}
