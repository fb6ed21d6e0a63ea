import { type Actor, byOf, needing } from '../accounts/role.ts';
import { refusingLicenses } from '../marketplace/bundle.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseImports } from '../ports/license-imports.ts';
import type { LicenseFilter, LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { addUnderNewKeys } from './add-licenses.ts';
import { createImporting, type Importing, type RefusingToIssue } from './importing.ts';
import type { License, PlainTransition } from './license.ts';
import { eventOfNew } from './license-events.ts';
import { type LicenseKey, parseLicenseKey } from './license-key.ts';
import type { Terms } from './terms.ts';
import { type Act, decideTransition } from './transitions.ts';

type Changed = Promise<License | Refused<'transition_not_allowed' | 'expiry_not_later' | 'forbidden' | 'invalid_key'>>;

/** The operations of sellers and administrators on licenses. The audit trail records every change. Each needs `licenses:manage`. */
export interface Issuing extends Importing {
  /** Issues `count` licenses under new keys, in one transaction. For more than a few hundred, use `issueMany`. */
  issue(
    terms: Terms,
    count: number,
    actor: Actor,
  ): Promise<LicenseKey[] | Refused<'forbidden' | 'bundle_without_licenses'>>;
  /** Issues one license under the given key. */
  issueAs(
    key: LicenseKey,
    terms: Terms,
    actor: Actor,
  ): Promise<LicenseKey | Refused<'forbidden' | 'bundle_without_licenses' | 'key_taken'>>;
  change(key: string, transition: PlainTransition, actor: Actor): Changed;
  renew(key: string, expiresAt: Instant | null, actor: Actor): Changed;
  list(filter: LicenseFilter, actor: Actor): Promise<License[] | Refused<'forbidden'>>;
}

interface IssuingPorts {
  readonly store: LicenseStore;
  readonly imports: LicenseImports;
  readonly products: Pick<ProductStore, 'findAll'>;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

export function createIssuing({ store, imports, products, clock, secrets }: IssuingPorts): Issuing {
  const refusing = (actor: Actor) => needing(actor, 'licenses:manage');

  const refusingToIssue: RefusingToIssue = async (ids, actor) => {
    const refused = refusing(actor);
    if (refused) return refused;
    const found = await products.findAll([...new Set(ids)]);
    return found.map(refusingLicenses).find((one) => one !== undefined);
  };

  async function change(text: string, act: Act, actor: Actor): Changed {
    const refused = refusing(actor);
    if (refused) return refused;
    const key = parseLicenseKey(text);
    if (key === undefined) return refuse('invalid_key');
    const changed = await store.change(key, undefined, (before) =>
      decideTransition(before, act, byOf(actor), clock.now()),
    );
    return isRefused(changed) ? changed : changed.license;
  }

  const newLicense = ({ daysFromActivation = null, ...terms }: Terms) =>
    ({ ...terms, daysFromActivation, standing: 'active', createdAt: clock.now() }) as const;

  return {
    ...createImporting({ imports, refusing: refusingToIssue, clock, secrets }),

    async issue(terms, count, actor) {
      const refused = await refusingToIssue([terms.productId], actor);
      if (refused) return refused;
      const issued = await addUnderNewKeys(store, secrets, newLicense(terms), count, byOf(actor));
      return issued.map(({ key }) => key);
    },

    async issueAs(key, terms, actor) {
      const refused = await refusingToIssue([terms.productId], actor);
      if (refused) return refused;
      const license = { ...newLicense(terms), key };
      return (await store.add([license], [eventOfNew.issued(license, byOf(actor), license.createdAt)])) ?? key;
    },

    change: (key, transition, actor) => change(key, { transition }, actor),
    renew: (key, expiresAt, actor) => change(key, { transition: 'renew', expiresAt }, actor),

    list: async (filter, actor) => refusing(actor) ?? (await store.list(filter)),
  };
}
