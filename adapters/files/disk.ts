import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Abort } from '../../core/abort.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import type { Signer } from '../contracts/signer.ts';
import { giveToOwnerOf } from '../ownership.ts';
import { syncFolder } from '../sync-folder.ts';
import { codeOf } from '../system-error.ts';
import { translate, translated, unlessGone } from './errors.ts';
import { signLink } from './signed-link.ts';
import { checkStorageKey, isStorageKey, stagingName } from './storage-key.ts';
import { sweepFolder } from './sweep-folder.ts';

/** Stores files in a local folder. A file's key is its path in that folder. */
export interface DiskStorage extends FileStorage {
  /** The folder for incoming files before they are stored. `put` also accepts files from other folders. */
  readonly staging: string;
  /** Returns the path for a key, whether or not the file exists. */
  path(key: string): string;
  /** Deletes files in the staging folder that are older than a time. Returns their number, also if stopped early. */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
}

export interface DiskOptions {
  /** The public address in front of `/files/…`. A route there serves links that pass `verifyLink`. */
  readonly baseUrl: string;
  readonly signer: Signer;
  readonly clock: Clock;
}

/** Opens a folder, and creates it if needed. Throws the system error if it cannot be created or written to. */
export async function openDiskStorage(folder: string, { baseUrl, signer, clock }: DiskOptions): Promise<DiskStorage> {
  const root = resolve(folder);
  const staging = join(root, stagingName);
  await makeFolder(staging);
  await access(root, constants.W_OK | constants.X_OK);
  await access(staging, constants.W_OK | constants.X_OK);

  function path(key: string): string {
    checkStorageKey(key);
    return join(root, key);
  }

  /** Returns the keys in one folder that were stored before a time. Skips files that are deleted in the meantime. */
  async function* keysIn(name: string, prefix: string, time: Instant, stop: Abort | undefined): AsyncIterable<string> {
    const entries = await unlessGone(opendir(join(root, name)));
    for await (const entry of entries ?? []) {
      if (stop?.aborted) return;
      const key = `${name}/${entry.name}`;
      if (!key.startsWith(prefix) || !isStorageKey(key)) continue;
      const stats = await unlessGone(lstat(join(root, key)));
      if (stats?.isFile() && Math.round(stats.mtimeMs) < time) yield key;
    }
  }

  return {
    staging,
    path,

    async put(key, from) {
      const to = path(key);
      await translate(async () => {
        await makeFolder(dirname(to));
        await flush(from, clock.now());
        await giveToOwnerOf(dirname(to), from);
        await move(from, to, join(staging, `${key.replace('/', '-')}.part`));
      });
    },

    async delete(key) {
      const file = path(key);
      await translate(() => unlessGone(unlink(file)));
    },

    async has(key) {
      const file = path(key);
      return (await translate(() => unlessGone(lstat(file))))?.isFile() ?? false;
    },

    async *read(key) {
      const file = path(key);
      try {
        yield* createReadStream(file);
      } catch (error) {
        throw translated(error);
      }
    },

    async link(key, filename, until) {
      path(key);
      return signLink(signer, baseUrl, key, filename, until);
    },

    async *storedBefore(prefix, time, stop) {
      try {
        for await (const entry of await opendir(root)) {
          const inside = `${entry.name}/`;
          const isAsked = inside.startsWith(prefix) || prefix.startsWith(inside);
          if (isAsked && entry.isDirectory()) yield* keysIn(entry.name, prefix, time, stop);
        }
      } catch (error) {
        throw translated(error);
      }
    },

    async sweepStaging(olderThan, stop) {
      return await translate(() => sweepFolder(staging, olderThan, stop));
    },
  };
}

/** Errors of file systems that have no hard links, or that forbid hard links to other users' files. */
const linkRefusals = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Moves a file that is already on disk, durably. Uses a hard link first because, unlike a rename, it fails if the name
 * is taken. A file from another file system is first copied to the `spare` path.
 */
async function move(from: string, to: string, spare: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EXDEV') return await copy(from, to, spare);
    if (!linkRefusals.has(code)) throw error;
    if (await unlessGone(lstat(to))) throw new Error(`The file already exists: ${to}`, { cause: error });
    await rename(from, to);
  }
  await deletingOnFailure(to, async () => {
    await syncFolder(dirname(to));
    await rm(from, { force: true });
  });
}

async function copy(from: string, to: string, spare: string): Promise<void> {
  await copyFile(from, spare, constants.COPYFILE_EXCL);
  await deletingOnFailure(spare, async () => {
    const { mtimeMs } = await lstat(from);
    await flush(spare, Math.round(mtimeMs));
    await move(spare, to, spare);
    await deletingOnFailure(to, () => rm(from));
  });
}

/** Runs the work. If it fails, deletes the file. */
async function deletingOnFailure(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Sets the file's time and flushes it to disk. Throws if it is not a regular file. */
async function flush(path: string, at: Instant): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`Not a regular file: ${path}`);
    await file.utimes(new Date(at), new Date(at));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder and its missing parents, durably. Each gets the owner of its parent. Does not use `recursive`,
 * because Node then hangs if no folder can be created, as in `/proc`.
 */
async function makeFolder(path: string): Promise<void> {
  if ((await unlessGone(stat(path)))?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await giveToOwnerOf(parent, path);
  await syncFolder(parent);
}
