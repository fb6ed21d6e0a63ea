import { open } from 'node:fs/promises';

/** Makes the names in a folder durable: a file that was put there is still there after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
