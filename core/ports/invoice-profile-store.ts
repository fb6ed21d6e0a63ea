import type { UserId } from '../id.ts';
import type { InvoiceProfile } from '../invoices/invoice-profile.ts';
import type { Refused } from '../refusal.ts';
import type { Change } from './change.ts';

/** The details of sellers for their invoices. `null` is the operator, who sells what has no owner. */
export interface InvoiceProfileStore {
  findOf(seller: UserId | null): Promise<InvoiceProfile | undefined>;
  /** Orders that are paid afterwards have the changed details. */
  change<R extends string = never>(
    seller: UserId | null,
    decide: (before: InvoiceProfile | undefined) => Change<InvoiceProfile> | Refused<R>,
  ): Promise<InvoiceProfile | Refused<R>>;
}
