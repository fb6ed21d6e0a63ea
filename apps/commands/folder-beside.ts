import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Works in a folder beside a place, and deletes it in the end. What a killed command leaves there is not taken for the result. */
export async function inFolderBeside<T>(place: string, work: (temporary: string) => Promise<T>): Promise<T> {
  await access(dirname(place));
  const temporary = await mkdtemp(join(dirname(place), `.${basename(place)}-`));
  try {
    return await work(temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Makes a folder under another name beside its place, so that it is there whole or not at all. */
export function madeWhole<T>(folder: string, work: (temporary: string) => Promise<T>): Promise<T> {
  return inFolderBeside(folder, async (temporary) => {
    const done = await work(temporary);
    await rename(temporary, folder);
    return done;
  });
}
