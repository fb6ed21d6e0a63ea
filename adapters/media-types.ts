import { type FileKind, fileKinds } from '../core/marketplace/checked-file.ts';

/** The media type of each kind of file. */
export const mediaTypes = {
  zip: 'application/zip',
  png: 'image/png',
  jpg: 'image/jpeg',
} as const satisfies Record<FileKind, string>;

/** Returns the media type of the file under a storage key. */
export function mediaTypeOf(key: string): string {
  const kind = fileKinds.find((one) => key.endsWith(`.${one}`));
  return kind === undefined ? 'application/octet-stream' : mediaTypes[kind];
}
