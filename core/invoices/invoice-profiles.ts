import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { InvoiceProfileStore } from '../ports/invoice-profile-store.ts';
import type { CheckTaxId } from '../ports/tax-ids.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import { checkedProfile, type InvoiceProfile, type ProfileFault } from './invoice-profile.ts';

/** Whose invoices: `own` are those of the actor, `site` those of the operator's products. */
export type ProfileOf = 'own' | 'site';

/** The details of sellers for their invoices. Those of the site need `settings:manage`. */
export interface InvoiceProfiles {
  show(whose: ProfileOf, actor: Actor): Promise<InvoiceProfile | undefined | Refused<'forbidden'>>;
  /**
   * Orders that are paid afterwards have the new details on their invoices. `seen` is what the actor knew: refuses if it
   * differs by now.
   */
  save(
    whose: ProfileOf,
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
      const seller = sellerOf(whose, actor);
      return isRefused(seller) ? seller : await store.findOf(seller);
    },

    async save(whose, typed, actor, seen) {
      const seller = sellerOf(whose, actor);
      if (isRefused(seller)) return seller;
      const after = checkedProfile(typed, checkTaxId);
      if (isRefused(after)) return after;
      return await store.change<'changed_meanwhile'>(seller, (before) => {
        if (before !== undefined && isSame(before, after)) return { after: before };
        if (!isSame(before, seen)) return refuse('changed_meanwhile');
        const by = byOf(actor);
        const subject = seller === null ? 'site' : by.actor;
        const told = event('user.invoice_profile_saved', subject, by, clock.now(), { name: after.name });
        return { after, event: told };
      });
    },
  };
}

/** Returns whose details they are: `null` are those of the operator. */
function sellerOf(whose: ProfileOf, actor: Actor): UserId | null | Refused<'forbidden'> {
  if (whose === 'site') return needing(actor, 'settings:manage') ?? null;
  return actor.kind === 'user' ? actor.user.id : refuse('forbidden', 'Only somebody with an account can have details.');
}
