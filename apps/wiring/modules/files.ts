import { ContainerModule } from 'inversify';
import type { FileInspection } from '../../../adapters/file-inspection.ts';
import type { WithLocalFile } from '../../../adapters/files/local-copies.ts';
import type { ZipContents } from '../../../core/ports/zip-contents.ts';
import { anyOf, boughtHere } from '../../../core/purchases/bought.ts';
import { observedPurchases } from '../observed.ts';
import { t } from '../tokens.ts';

/** The inspection of files, the contents of zips, and the check of purchases. */
export const files = new ContainerModule(({ bind }) => {
  bind(t.fileInspection).toResolvedValue(inspectionAtFirstUse);
  bind(t.zipContents).toResolvedValue(contentsAtFirstUse, [t.withLocalFile]);
  bind(t.purchaseCheck).toResolvedValue(
    async ({ PURCHASE_CHECK_URL: url, PURCHASE_CHECK_TOKEN: token }, ledger, orders, claim, log, instruments) => {
      const here = boughtHere(orders, claim);
      if (url === '') return observedPurchases(anyOf(ledger, here), instruments);
      const { createRemotePurchaseCheck } = await import('../../../adapters/purchases/remote.ts');
      return observedPurchases(anyOf(here, createRemotePurchaseCheck({ url, token, log })), instruments);
    },
    [t.config, t.purchaseLedger, t.orderStore, t.claimOrders, t.log, t.instruments],
  );
});

/** Loads the reader of archives when the first zip is looked into. */
function contentsAtFirstUse(withLocalFile: WithLocalFile): ZipContents {
  return {
    async list(key, most) {
      const { createZipContents } = await import('../../../adapters/files/inspection/zip-contents.ts');
      return await createZipContents(withLocalFile).list(key, most);
    },
  };
}

/** Loads the readers of archives and images when the first file arrives. */
function inspectionAtFirstUse(): FileInspection {
  let made: FileInspection | undefined;
  return {
    async inspect(path, stop) {
      const { createFileInspection } = await import('../../../adapters/files/inspection/inspection.ts');
      made ??= createFileInspection(); // Only one, because it limits the work of all uploads together.
      return await made.inspect(path, stop);
    },
  };
}
