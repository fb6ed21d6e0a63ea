import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Does the work with a temporary folder beside a place, and deletes the folder at the end. If the command is killed,
 * nobody can mistake the folder for the result.
 */
export async function inFolderBeside<T>(place: string, work: (temporary: string) => Promise<T>): Promise<T> {
  await access(dirname(place));
  const temporary = await mkdtemp(join(dirname(place), `.${basename(place)}-`));
  try {
    return await work(temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Makes a folder under a temporary name and then renames it, so that it is complete or does not exist. */
export function madeWhole<T>(folder: string, work: (temporary: string) => Promise<T>): Promise<T> {
  return inFolderBeside(folder, async (temporary) => {
    const done = await work(temporary);
    await rename(temporary, folder);
    return done;
  });
}
