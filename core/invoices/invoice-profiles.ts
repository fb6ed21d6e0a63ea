import { type Actor, byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { InvoiceProfileStore } from '../ports/invoice-profile-store.ts';
import type { CheckTaxId } from '../ports/tax-ids.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import { sellerOf, subjectOf, type Whose } from '../sellers/whose.ts';
import { checkedProfile, type InvoiceProfile, type ProfileFault } from './invoice-profile.ts';

/** What only people with an account can have. */
const what = 'details';

/** The details of sellers for their invoices. Those of the site need `settings:manage`. */
export interface InvoiceProfiles {
  show(whose: Whose, actor: Actor): Promise<InvoiceProfile | undefined | Refused<'forbidden'>>;
  /**
   * Orders that are paid afterwards have the new details on their invoices. `seen` is what the actor knew: refuses if it
   * differs by now.
   */
  save(
    whose: Whose,
    typed: InvoiceProfile,
    actor: Actor,
    seen: InvoiceProfile | undefined,
  ): Promise<InvoiceProfile | Refused<ProfileFault | 'forbidden' | 'changed_meanwhile'>>;
}

interface InvoiceProfilesPorts {
  readonly store: InvoiceProfileStore;
  readonly checkTaxId: CheckTaxId;
  readonly clock: Clock;
}

export function createInvoiceProfiles({ store, checkTaxId, clock }: InvoiceProfilesPorts): InvoiceProfiles {
  return {
    async show(whose, actor) {
      const seller = sellerOf(whose, actor, what);
      return isRefused(seller) ? seller : await store.findOf(seller);
    },

    async save(whose, typed, actor, seen) {
      const seller = sellerOf(whose, actor, what);
      if (isRefused(seller)) return seller;
      const after = checkedProfile(typed, checkTaxId);
      if (isRefused(after)) return after;
      return await store.change<'changed_meanwhile'>(seller, (before) => {
        if (before !== undefined && isSame(before, after)) return { after: before };
        if (!isSame(before, seen)) return refuse('changed_meanwhile');
        const subject = subjectOf(seller, actor);
        const told = event('user.invoice_profile_saved', subject, byOf(actor), clock.now(), { name: after.name });
        return { after, event: told };
      });
    },
  };
}
