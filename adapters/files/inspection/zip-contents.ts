import { open } from 'node:fs/promises';
import type { ZipContents } from '../../../core/ports/zip-contents.ts';
import { translate, unlessGone } from '../errors.ts';
import type { WithLocalFile } from '../local-copies.ts';
import { defaultLimits } from './limits.ts';
import { createPieces } from './pieces.ts';
import { readListing } from './zip.ts';

/** Controls, and characters that change the direction of the text around them, would make one path look like another. */
const misleading = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Reads the listing of a zip with the checks of an upload, but does not unpack it again. */
export function createZipContents(withLocalFile: WithLocalFile): ZipContents {
  return {
    list: (key, most) =>
      translate(async () => {
        const entries = await unlessGone(withLocalFile(key, entriesOf));
        if (entries === undefined || typeof entries === 'string') return undefined;
        const files = entries.filter(({ isFolder }) => !isFolder);
        return {
          files: files.slice(0, most).map(({ path, unpacked }) => ({
            path: path.spelled.slice(0, -1).replaceAll('\0', '/').replace(misleading, '\ufffd'),
            size: unpacked,
          })),
          count: files.length,
          size: files.reduce((sum, { unpacked }) => sum + unpacked, 0),
        };
      }),
  };
}

async function entriesOf(path: string) {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return await readListing(createPieces(handle, size), defaultLimits);
  } finally {
    await handle.close();
  }
}
