import type { Signer } from '../../adapters/contracts/signer.ts';
import type { DiskStorage } from '../../adapters/files/disk.ts';
import type { S3Storage } from '../../adapters/files/s3/storage.ts';
import { holderOf, verifyLink } from '../../adapters/files/signed-link.ts';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import type { Located } from '../../adapters/http/send-file.ts';
import type { Downloads } from '../../adapters/http/site/endpoints.ts';
import type { Abort } from '../../core/abort.ts';
import type { SiteUpdates } from '../../core/licensing/clients/site-updates.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import type { BoughtFiles } from '../../core/purchases/bought-files.ts';
import { minute } from '../../core/time.ts';

/** File storage with a folder for incoming files. */
export interface StoredFiles extends FileStorage {
  readonly staging: string;
  /** Deletes incoming files that are older than a time. Returns how many it deleted, also if it was stopped early. */
  sweepStaging(olderThan: Instant, stop?: Abort): Promise<number>;
}

/** How stored files are served. */
export type FileServing = Pick<Downloads, 'locate' | 'locateLinked' | 'origin'>;

/** What checks a signed link. */
interface LinkPorts {
  readonly signer: Signer;
  readonly clock: Clock;
  readonly bought: Pick<BoughtFiles, 'mayFetch'>;
  readonly updates: Pick<SiteUpdates, 'mayFetch'>;
}

/** Milliseconds for which a link into a bucket is valid, after this service has checked its own link. */
const hop = minute;

/** Serves files from the disk of this machine. */
export function serveFromDisk({ disk, ...links }: LinkPorts & { readonly disk: DiskStorage }): FileServing {
  const locate = async (key: string) =>
    isStorageKey(key) && (await disk.has(key)) ? { path: disk.path(key) } : undefined;
  return { locate, locateLinked: createLinked(locate, links) };
}

/** Leads to a bucket, which serves the files itself. */
export function serveFromBucket({ s3, ...links }: LinkPorts & { readonly s3: S3Storage }): FileServing {
  const { locate, link, origin } = s3;
  const find = async (key: string, filename: string) => ({ url: await link(key, filename, links.clock.now() + hop) });
  return { locate, origin, locateLinked: createLinked(find, links) };
}

/** Serves signed links. One that was made for an order or a license ends when that is not usable any more. */
function createLinked(
  find: (key: string, filename: string) => Promise<Located | undefined>,
  { signer, clock, bought, updates }: LinkPorts,
): FileServing['locateLinked'] {
  return async (key, query) => {
    const verdict = verifyLink(signer, key, query, clock.now());
    if (verdict === 'expired') return verdict;
    if (verdict === 'invalid') return undefined;
    const holder = holderOf(query);
    if (holder !== undefined) {
      const isUsable = 'order' in holder ? bought.mayFetch(holder.order) : updates.mayFetch(holder.license, key);
      if (!(await isUsable)) return 'expired';
    }
    const filename = String(query.filename);
    const found = await find(key, filename);
    return found && { ...found, filename };
  };
}
