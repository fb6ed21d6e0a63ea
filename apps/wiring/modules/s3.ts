import { ContainerModule } from 'inversify';
import { createLocalCopies } from '../../../adapters/files/local-copies.ts';
import { openS3Storage } from '../../../adapters/files/s3/storage.ts';
import type { S3Location } from '../../../adapters/files/s3/url.ts';
import { observedFiles } from '../observed.ts';
import { t } from '../tokens.ts';

/** Files in a bucket. */
export const s3 = (location: S3Location) =>
  new ContainerModule(({ bind }) => {
    bind(t.s3)
      .toResolvedValue(
        (clock, log) => openS3Storage({ ...location, clock, log, toleratesOutage: true }),
        [t.clock, t.log],
      )
      .onDeactivation((storage) => storage.close());
    bind(t.files).toResolvedValue(observedFiles, [t.s3, t.instruments]);
    bind(t.withLocalFile).toResolvedValue(createLocalCopies, [t.files]);
    bind(t.fileServing).toResolvedValue(({ locate, origin }) => ({ locate, origin }), [t.s3]);
    bind(t.fileChecks).toResolvedValue(({ ping }) => ({ files: ping }), [t.s3]);
    bind(t.fileWarnings).toResolvedValue(({ compareClocks }) => ({ clock: compareClocks }), [t.s3]);
  });
