import { type FileKind, fileKinds } from '../core/marketplace/checked-file.ts';

/** How each kind of file is declared. */
export const mediaTypes = {
  zip: 'application/zip',
  png: 'image/png',
  jpg: 'image/jpeg',
} as const satisfies Record<FileKind, string>;

/** How the file under a storage key is declared. */
export function mediaTypeOf(key: string): string {
  const kind = fileKinds.find((one) => key.endsWith(`.${one}`));
  return kind === undefined ? 'application/octet-stream' : mediaTypes[kind];
}
