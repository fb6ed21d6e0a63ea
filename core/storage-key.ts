import type { Secrets } from './ports/secrets.ts';
import { randomHex } from './random-hex.ts';

/** `products` and `templates` hold their zips; `media` and `private` hold images and uploads, of live and of test keys. */
export type Folder = 'products' | 'templates' | 'media' | 'private';

/** A new key to store a file under. Nobody can guess it. */
export function newStorageKey(secrets: Pick<Secrets, 'bytes'>, folder: Folder, kind: 'zip' | 'png' | 'jpg'): string {
  return `${folder}/${randomHex(secrets, 16)}.${kind}`;
}
