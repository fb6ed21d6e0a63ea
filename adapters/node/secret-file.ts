import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToOwnerOf } from '../ownership.ts';
import { syncFolder } from '../sync-folder.ts';
import { codeOf } from '../system-error.ts';

const shortest = 32;

/** A secret that cannot be used. The message says why in one line, and does not contain the secret. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret';
}

/** Returns the secret in a file, or `undefined` if the file does not exist. Throws `WrongSecret` if it is too short. */
export async function readSecret(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof Error) Object.assign(error, { path: file }); // Node omits the path if the file is a folder.
    throw error;
  }
  if (text.length < shortest) throw new WrongSecret(`${file} must contain a secret of ${shortest} characters or more.`);
  return text;
}

/** Writes a secret to a new file, atomically and durably. If the file already exists, only returns its secret. */
export async function keepSecret(file: string, secret: string): Promise<string> {
  await withCopy(file, secret, async (copy) => {
    try {
      await link(copy, file); // Unlike a rename, a link never replaces a file that another process made.
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  });
  return (await readSecret(file)) ?? secret;
}

/** Writes a secret to a file, durably, and replaces an existing one. */
export async function replaceSecret(file: string, secret: string): Promise<void> {
  await withCopy(file, secret, (copy) => rename(copy, file));
}

/** Writes the secret to a private temporary file in the same folder. `work` moves or links it to its final name. */
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
