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
import { giveToOwnerOf } from '../ownership.ts';
import type { Signer } from '../signer.ts';
import { syncFolder } from '../sync-folder.ts';
import { codeOf } from '../system-error.ts';
import { translate, translated, unlessGone } from './errors.ts';
import { signLink } from './signed-link.ts';
import { checkStorageKey, isStorageKey, stagingName } from './storage-key.ts';
import { sweepFolder } from './sweep-folder.ts';

/** Files in a folder of this machine: the key is the path in it. */
export interface DiskStorage extends FileStorage {
  /** The folder that incoming files are written to before they are stored. Any other folder of the same file system will do too. */
  readonly staging: string;
  /** Where a file lies, or would lie. */
  path(key: string): string;
  /** Deletes files that are in the staging folder since before a time. Returns how many it deleted, also if it is stopped early. */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
}

export interface DiskOptions {
  /** The public address in front of `/files/…`, where a route answers what `verifyLink` finds good. */
  readonly baseUrl: string;
  readonly signer: Signer;
  readonly clock: Clock;
}

/** Opens a folder, made where there is none. Throws the system's own error where it cannot be made or written to. */
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

  /** The keys in one folder of those stored before a time; files that go meanwhile are passed over. */
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
        await settle(from, clock.now());
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

/** What file systems answer that have no hard links, or that guard other users' files against them. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Moves a settled file, durably. A hard link under the new name comes first: unlike a rename, it is refused where the
 * name is taken. From another file system the file is copied to the spare path before.
 */
async function move(from: string, to: string, spare: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EXDEV') return await copy(from, to, spare);
    if (!withoutLinks.has(code)) throw error;
    if (await unlessGone(lstat(to))) throw new Error(`There is a file already: ${to}`, { cause: error });
    await rename(from, to);
  }
  await orWithout(to, async () => {
    await syncFolder(dirname(to));
    await rm(from, { force: true });
  });
}

async function copy(from: string, to: string, spare: string): Promise<void> {
  await copyFile(from, spare, constants.COPYFILE_EXCL);
  await orWithout(spare, async () => {
    const { mtimeMs } = await lstat(from);
    await settle(spare, Math.round(mtimeMs));
    await move(spare, to, spare);
    await orWithout(to, () => rm(from));
  });
}

/** Does the work; where it fails, the file is taken away. */
async function orWithout(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Writes a file through to the disk, dated. Throws where it is no regular file. */
async function settle(path: string, at: Instant): Promise<void> {
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
 * Makes a folder and those above it, durably; each belongs to the owner of the one above it. One by one: with `recursive`, Node
 * never ends if nothing can be made, as in `/proc`.
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
