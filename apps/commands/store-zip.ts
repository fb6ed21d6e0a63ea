import { randomUUID } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { newStorageKey } from '../../core/storage-key.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { RefusedCommand } from './action.ts';

/**
 * Stores a copy of an administrator's zip and does the work with its key. If the work is refused or fails, deletes the
 * copy. If the outcome is unknown, keeps the copy, and the sweep deletes it if no row refers to it.
 */
export async function storeZip<T, R extends string>(
  parts: Parts,
  file: string,
  work: (key: string) => Promise<T | Refused<R>>,
): Promise<T | Refused<R>> {
  const found = await (await parts.get(t.fileInspection)).inspect(file);
  if (found.kind !== 'zip') {
    throw new RefusedCommand(`${file}: ${found.kind === 'unusable' ? found.why : 'It is an image, not a zip.'}`);
  }
  const files = await parts.get(t.files);
  const copy = join(files.staging, randomUUID());
  const key = newStorageKey(await parts.get(t.secrets), 'templates', 'zip');
  try {
    await copyFile(file, copy);
    await files.put(key, copy);
    const done = await work(key);
    if (isRefused(done)) await files.delete(key);
    return done;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) await files.delete(key).catch(() => undefined);
    throw error;
  } finally {
    await rm(copy, { force: true });
  }
}
