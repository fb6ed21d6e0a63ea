import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Container } from 'inversify';
import { openDiskStorage } from '../../../adapters/files/disk.ts';
import { createWriteCheck } from '../../../adapters/files/write-check.ts';
import { makePrivate } from '../../../adapters/node/make-private.ts';
import * as chosen from '../chosen.ts';
import { serveFromDisk } from '../file-serving.ts';
import { observedFiles } from '../observed.ts';
import { bind, give } from '../part.ts';
import { siteUpdates } from './licensing.ts';
import { instruments } from './observing.ts';
import { boughtFiles } from './purchases.ts';
import { signer } from './sql.ts';

const temporary = join(tmpdir(), 'latchkey-files-');

/** Stores files in a local folder. Without `folder`, in a temporary one that is deleted when the process ends. */
export function onDisk(container: Container, folder: string | undefined): void {
  const { clock, disk } = chosen;
  bind(
    container,
    disk,
    async ({ baseUrl, signer, clock }) => {
      const root = folder ?? (await mkdtemp(temporary));
      const storage = await openDiskStorage(root, { baseUrl, signer, clock });
      await makePrivate(root); // The folder alone is enough: other users then cannot reach its content.
      return storage;
    },
    { baseUrl: chosen.setting('BASE_URL'), signer, clock },
    async ({ staging }) => {
      if (folder === undefined) await rm(dirname(staging), { recursive: true, force: true });
    },
  );
  bind(container, chosen.files, ({ disk, instruments }) => observedFiles(disk, instruments), { disk, instruments });
  bind(
    container,
    chosen.withLocalFile,
    ({ disk }) =>
      (key, work) =>
        work(disk.path(key)),
    { disk },
  );
  bind(container, chosen.fileServing, serveFromDisk, {
    disk,
    signer,
    clock,
    bought: boughtFiles,
    updates: siteUpdates,
  });
  bind(container, chosen.fileChecks, ({ disk }) => ({ files: createWriteCheck(disk.staging) }), { disk });
  give(container, chosen.fileWarnings, {});
}
