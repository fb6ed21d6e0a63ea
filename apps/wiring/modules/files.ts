import { ContainerModule } from 'inversify';
import { createFileInspection } from '../../../adapters/files/inspection/inspection.ts';
import { observedPurchases } from '../observed.ts';
import { t } from '../tokens.ts';

/** The inspection of files, and the check of purchases. */
export const files = new ContainerModule(({ bind }) => {
  bind(t.fileInspection).toResolvedValue(() => createFileInspection());
  bind(t.purchaseCheck).toResolvedValue(
    async ({ PURCHASE_CHECK_URL: url, PURCHASE_CHECK_TOKEN: token }, ledger, log, instruments) => {
      if (url === '') return observedPurchases(ledger, instruments);
      const { createRemotePurchaseCheck } = await import('../../../adapters/purchases/remote.ts');
      return observedPurchases(createRemotePurchaseCheck({ url, token, log }), instruments);
    },
    [t.config, t.purchaseLedger, t.log, t.instruments],
  );
});
