import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToOwnerOf } from '../ownership.ts';
import { syncFolder } from '../sync-folder.ts';
import { codeOf } from '../system-error.ts';

const shortest = 32;

/** A secret that cannot be used, in one line that says why and does not tell the secret. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret';
}

/** The secret in a file, or `undefined` if there is no such file. Throws `WrongSecret` if it is too short. */
export async function readSecret(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof Error) Object.assign(error, { path: file }); // Node leaves it out where the file is a folder.
    throw error;
  }
  if (text.length < shortest) throw new WrongSecret(`${file} holds no secret of ${shortest} characters or more.`);
  return text;
}

/** Keeps a secret in a new file, durably and whole. Returns what the file holds: where it was there already, its own. */
export async function keepSecret(file: string, secret: string): Promise<string> {
  await withCopy(file, secret, async (copy) => {
    try {
      await link(copy, file); // Unlike a rename, it never replaces what another process has made.
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  });
  return (await readSecret(file)) ?? secret;
}

/** Keeps a secret in a file, in place of the one that was there. */
export async function replaceSecret(file: string, secret: string): Promise<void> {
  await withCopy(file, secret, (copy) => rename(copy, file));
}

/** Writes the secret beside the file, where nobody else can read it, for the work to bring to its place. */
async function withCopy(file: string, secret: string, work: (copy: string) => Promise<void>): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  const copy = `${file}.${randomUUID()}`;
  try {
    const handle = await open(copy, 'wx', 0o600);
    await handle
      .writeFile(`${secret}\n`)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await giveToOwnerOf(folder, copy);
    await work(copy);
  } finally {
    await rm(copy, { force: true });
  }
  await syncFolder(folder);
}
