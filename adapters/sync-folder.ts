import { open } from 'node:fs/promises';

/** Makes the file names in a folder durable, so that new files survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
