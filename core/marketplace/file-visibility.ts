import type { KeyMode } from '../accounts/api-key.ts';
import type { Folder } from '../storage-key.ts';

/** The folders for images and uploads. Files from a test key are never public. */
export const folderOf = { live: 'media', test: 'private' } as const satisfies Record<KeyMode, Folder>;

/** Whether everybody who knows the file's key may read the file. The key cannot be guessed. */
export function isPublicFile(key: string): boolean {
  return key.startsWith(`${folderOf.live}/`);
}
