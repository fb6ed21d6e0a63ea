import type { Secrets } from './ports/secrets.ts';
import { randomHex } from './random-hex.ts';

/** `products` and `templates` contain zips. Images and uploads are in `media` (live keys) and `private` (test keys). */
export type Folder = 'products' | 'templates' | 'media' | 'private';

/** Returns a new storage key. Nobody can guess it. */
export function newStorageKey(secrets: Pick<Secrets, 'bytes'>, folder: Folder, kind: 'zip' | 'png' | 'jpg'): string {
  return `${folder}/${randomHex(secrets, 16)}.${kind}`;
}
