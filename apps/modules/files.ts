import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ContainerModule } from 'inversify';
import { openDiskStorage } from '../../adapters/files/disk.ts';
import { createFileInspection } from '../../adapters/files/inspection.ts';
import { createLocalPurchaseCheck } from '../../adapters/purchases/local.ts';
import { createRemotePurchaseCheck } from '../../adapters/purchases/remote.ts';
import type { Config } from '../config.ts';
import { serveFromDisk } from '../file-serving.ts';
import { t } from '../tokens.ts';

/** Files, and who may have them. */
export const files = new ContainerModule(({ bind }) => {
  bind(t.disk)
    .toResolvedValue(
      async ({ FILES_URL, BASE_URL }, signer, clock) =>
        await openDiskStorage(await folderOf(FILES_URL), { baseUrl: BASE_URL, signer, clock }),
      [t.config, t.signer, t.clock],
    )
    .onDeactivation(async ({ staging }) => {
      if (staging.startsWith(temporary)) await rm(dirname(staging), { recursive: true, force: true });
    });
  bind(t.files).toResolvedValue((disk) => disk, [t.disk]);
  bind(t.fileServing).toResolvedValue(serveFromDisk, [t.disk, t.signer, t.clock]);
  bind(t.fileInspection).toResolvedValue(() => createFileInspection());
  bind(t.purchaseCheck).toResolvedValue(
    ({ PURCHASE_CHECK_URL: url, PURCHASE_CHECK_TOKEN: token }, ledger, log) =>
      url === '' ? createLocalPurchaseCheck(ledger) : createRemotePurchaseCheck({ url, token, log }),
    [t.config, t.purchaseLedger, t.log],
  );
});

const temporary = join(tmpdir(), 'latchkey-files-');

async function folderOf(location: Config['FILES_URL']): Promise<string> {
  switch (location.kind) {
    case 'disk':
      return location.folder;
    case 'temporary':
      return await mkdtemp(temporary);
  }
}
