import type { Container } from 'inversify';
import { createLocalCopies } from '../../../adapters/files/local-copies.ts';
import { openS3Storage } from '../../../adapters/files/s3/storage.ts';
import type { S3Location } from '../../../adapters/files/s3/url.ts';
import * as chosen from '../chosen.ts';
import { serveFromBucket } from '../file-serving.ts';
import { observedFiles } from '../observed.ts';
import { bind, part } from '../part.ts';
import { siteUpdates } from './licensing.ts';
import { instruments } from './observing.ts';
import { boughtFiles } from './purchases.ts';
import { signer } from './sql.ts';

/** Stores files in a bucket. */
export function inBucket(container: Container, location: S3Location): void {
  const { clock, files, log } = chosen;
  const s3 = part(
    (tools) => openS3Storage({ ...location, ...tools, toleratesOutage: true }),
    { clock, log },
    (storage) => storage.close(),
  );
  bind(container, files, ({ s3, instruments }) => observedFiles(s3, instruments), { s3, instruments });
  bind(container, chosen.withLocalFile, ({ files }) => createLocalCopies(files), { files });
  bind(container, chosen.fileServing, serveFromBucket, {
    s3,
    signer,
    clock,
    bought: boughtFiles,
    updates: siteUpdates,
  });
  bind(container, chosen.fileChecks, ({ s3 }) => ({ files: s3.ping }), { s3 });
  bind(container, chosen.fileWarnings, ({ s3 }) => ({ clock: s3.compareClocks }), { s3 });
}
