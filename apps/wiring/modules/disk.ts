import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ContainerModule } from 'inversify';
import { openDiskStorage } from '../../../adapters/files/disk.ts';
import { makePrivate } from '../../../adapters/node/make-private.ts';
import { serveFromDisk } from '../file-serving.ts';
import { observedFiles } from '../observed.ts';
import { t } from '../tokens.ts';

const temporary = join(tmpdir(), 'latchkey-files-');

/** Stores files in a local folder. Without `folder`, in a temporary one that is deleted when the process ends. */
export const disk = (folder: string | undefined) =>
  new ContainerModule(({ bind }) => {
    bind(t.disk)
      .toResolvedValue(
        async ({ BASE_URL: baseUrl }, signer, clock) => {
          const root = folder ?? (await mkdtemp(temporary));
          const storage = await openDiskStorage(root, { baseUrl, signer, clock });
          await makePrivate(root); // The folder alone is enough: other users then cannot reach its content.
          return storage;
        },
        [t.config, t.signer, t.clock],
      )
      .onDeactivation(async ({ staging }) => {
        if (folder === undefined) await rm(dirname(staging), { recursive: true, force: true });
      });
    bind(t.files).toResolvedValue(observedFiles, [t.disk, t.instruments]);
    bind(t.withLocalFile).toResolvedValue((storage) => (key, work) => work(storage.path(key)), [t.disk]);
    bind(t.fileServing).toResolvedValue(serveFromDisk, [t.disk, t.signer, t.clock]);
    bind(t.fileChecks).toConstantValue({});
    bind(t.fileWarnings).toConstantValue({});
  });
