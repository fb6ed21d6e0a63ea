import { lstat, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Abort } from '../../../core/abort.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { codeOf } from '../../system-error.ts';
import { unlessGone } from '../errors.ts';

/** The folder that incoming files are written to before they are stored. */
export interface Staging {
  readonly path: string;
  /**
   * Deletes folders of processes that ended without doing so; resolves with their number. It can be stopped between two.
   */
  sweep(stop?: Abort): Promise<number>;
  /** Deletes the folder, if it was made for this process. */
  close(): Promise<void>;
}

const prefix = 'latchkey-staging-';
/** The number of the process stands in the name, for people only. */
const form = /^latchkey-staging-\d+-\w{6}$/;

const minute = 60_000;
/** Milliseconds between two signs of life, and after which a folder without one is of a dead process. */
const sign = { every: 10 * minute, missedFor: 60 * minute };

/**
 * Makes the folder: the one given, or one of this process and its user alone among the system's temporary files. Others' folders
 * are left alone while their processes give them signs of life. Process numbers tell nothing: in a container each life has the
 * same one. A process that was stopped for so long that its folder is gone makes it again.
 */
export async function openStaging(clock: Clock, folder?: string): Promise<Staging> {
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    return { path: resolve(folder), sweep: async () => 0, close: async () => undefined };
  }
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  let isClosed = false;
  const live = async () => {
    const now = new Date(clock.now());
    await utimes(path, now, now).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!isClosed) await mkdir(path, { mode: 0o700 });
    });
  };
  const timer = setInterval(() => void live().catch(() => undefined), sign.every).unref();
  const sweep = async (stop?: Abort) => {
    await live();
    return await sweepDead(path, clock.now() - sign.missedFor, stop);
  };
  await sweep();
  return {
    path,
    sweep,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function sweepDead(own: string, olderThan: number, stop?: Abort): Promise<number> {
  let swept = 0;
  for (const name of await readdir(tmpdir())) {
    if (stop?.aborted) break;
    const path = join(tmpdir(), name);
    if (!form.test(name) || path === own) continue;
    const stats = await unlessGone(lstat(path));
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.() || stats.mtimeMs >= olderThan) continue;
    await rm(path, { recursive: true, force: true });
    swept++;
  }
  return swept;
}
