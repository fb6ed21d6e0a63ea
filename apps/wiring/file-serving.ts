import type { DiskStorage } from '../../adapters/files/disk.ts';
import { verifyLink } from '../../adapters/files/signed-link.ts';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import type { Site } from '../../adapters/http/site/endpoints.ts';
import type { Signer } from '../../adapters/signer.ts';
import type { Abort } from '../../core/abort.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';

/** File storage, with the folder that incoming files are written to first. */
export interface StoredFiles extends FileStorage {
  readonly staging: string;
  /** Deletes files that are there since before a time. Returns how many it deleted, also if it is stopped early. */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
}

/** How stored files are served. */
export type FileServing = Pick<Site, 'locate' | 'locateLinked' | 'origin'>;

/** From this machine's disk. */
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
