import type { DiskStorage } from '../../adapters/files/disk.ts';
import { verifyLink } from '../../adapters/files/signed-link.ts';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import type { Site } from '../../adapters/http/site/endpoints.ts';
import type { Signer } from '../../adapters/signer.ts';
import type { Abort } from '../../core/abort.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';

/** File storage with a folder for incoming files. */
export interface StoredFiles extends FileStorage {
  readonly staging: string;
  /** Deletes incoming files that are older than a time. Returns how many it deleted, also if it was stopped early. */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
}

/** How stored files are served. */
export type FileServing = Pick<Site, 'locate' | 'locateLinked' | 'origin'>;

/** Serves files from the disk of this machine. */
export function serveFromDisk(disk: DiskStorage, signer: Signer, clock: Clock): FileServing {
  return {
    locate: async (key) => (isStorageKey(key) && (await disk.has(key)) ? { path: disk.path(key) } : undefined),

    async locateLinked(key, query) {
      const verdict = verifyLink(signer, key, query, clock.now());
      if (verdict === 'expired') return verdict;
      if (verdict === 'invalid' || !(await disk.has(key))) return undefined;
      return { path: disk.path(key), filename: String(query.filename) };
    },
  };
}
