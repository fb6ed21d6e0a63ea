import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import type { PurchaseLedger } from '../../core/ports/purchase-ledger.ts';

/** Goes by the purchases that this service itself keeps. */
export function createLocalPurchaseCheck(ledger: PurchaseLedger): PurchaseCheck {
  return { has: (user, template) => ledger.has(user.id, template.id) };
}
