import { lstat, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Abort } from '../../../core/abort.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { hour, minute } from '../../../core/time.ts';
import { codeOf } from '../../system-error.ts';
import { unlessGone } from '../errors.ts';

/** The folder for incoming files before they are stored. */
export interface Staging {
  readonly path: string;
  /** Deletes the folders of dead processes. Returns their number. Can be stopped after each folder. */
  sweep(stop?: Abort): Promise<number>;
  /** Deletes the folder if it was created for this process. */
  close(): Promise<void>;
}

const prefix = 'latchkey-staging-';
/** The process id in the name is only for people. */
const form = /^latchkey-staging-\d+-\w{6}$/;

/** In milliseconds: how often a process touches its folder, and after which time an untouched folder is deleted. */
const touch = { every: 10 * minute, deadAfter: hour };

/**
 * Creates the given folder, or a private temporary folder for this process. Each process touches its folder regularly,
 * so that others do not delete it. Process ids do not show which processes still run, because a restarted container
 * uses the same ids again. If a process was frozen so long that its folder was deleted, it creates the folder again.
 */
export async function openStaging(clock: Clock, folder?: string): Promise<Staging> {
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    return { path: resolve(folder), sweep: async () => 0, close: async () => undefined };
  }
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  let isClosed = false;
  const keepAlive = async () => {
    const now = new Date(clock.now());
    await utimes(path, now, now).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      if (!isClosed) await mkdir(path, { mode: 0o700 });
    });
  };
  const timer = setInterval(() => void keepAlive().catch(() => undefined), touch.every).unref();
  const sweep = async (stop?: Abort) => {
    await keepAlive();
    return await sweepDead(path, clock.now() - touch.deadAfter, stop);
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
