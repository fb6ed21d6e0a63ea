import { createDomainChanges, type Moved } from '../licensing/domain-changes.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import { createExplainRecord } from '../licensing/explaining.ts';
import type { Explanation } from '../licensing/explanation.ts';
import { kindOf, storedAs } from '../licensing/hosts.ts';
import { type Activation, isValidAt, type License, type LicenseStatus, statusOf } from '../licensing/license.ts';
import { eventOfProven } from '../licensing/license-events.ts';
import type { ActivatedHost } from '../licensing/licensing.ts';
import type { ProofPorts } from '../licensing/look-up-proof.ts';
import { type Move, type MoveRefused, movesLeft } from '../licensing/move.ts';
import { canBeProven, type NotProven, prove } from '../licensing/prove.ts';
import { createProving } from '../licensing/proving.ts';
import { defaultTerms, type HostRules, type KeyRules } from '../marketplace/product-terms.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { day } from '../time.ts';
import type { Order } from './order.ts';

/** The license of an order, as its buyer sees it. */
export interface BoughtLicense {
  readonly license: License;
  /** The status at the time of the answer. */
  readonly status: LicenseStatus;
  /** It ends within 30 days, or has ended. */
  readonly endsSoon: boolean;
  /** Newest first, as in `LicenseRecord`, but only those that are valid. */
  readonly domains: readonly Activation[];
  /** Which hosts take no slot. */
  readonly hosts: HostRules;
  /** Whether domains must be proven, and what the key can deactivate. */
  readonly keyRules: KeyRules;
  readonly movesPerMonth: number;
  /** How often the buyer can replace the key in a year. */
  readonly rotationsPerYear: number;
  /** How often a domain can still be moved this month. */
  readonly movesLeft: number;
}

const soon = 30 * day;

type Of = Pick<Order, 'licenseKey' | 'buyer'>;

/** What buyers can do with the license of an order. `invalid_key`: the order has no license, as before its payment. */
export interface BoughtLicenses {
  show(order: Of): Promise<BoughtLicense | undefined>;
  /**
   * Explains why the license is valid for the host in a text, or not. If a proof decides, it is looked up. `from`: the network of the caller, for which
   * lookups are counted.
   */
  explain(order: Of, address: string, from: string): Promise<Explanation | undefined>;
  /** What proves a host for this license: the text, and the name under which the host must publish it. `undefined`: a proof makes no difference. */
  proofOf(bought: BoughtLicense, domain: DomainName): { readonly host: DomainName; readonly text: string } | undefined;
  /**
   * Looks up the proof of a host, and notes it if the license is activated there. If it is not, it becomes proven by its activation, and `isNoted` is
   * false.
   */
  prove(
    order: Of,
    domain: DomainName,
    from: string,
  ): Promise<{ readonly isNoted: boolean } | Refused<NotProven | 'invalid_key'>>;
  move(order: Of, move: Move): Promise<Moved | Refused<MoveRefused | 'invalid_key'>>;
  /** Frees the slot of a host, in every status of the license. */
  remove(order: Of, domain: DomainName): Promise<ActivatedHost | Refused<'domain_not_found' | 'invalid_key'>>;
}

interface BoughtLicensesPorts extends ProofPorts {
  readonly store: Pick<LicenseStore, 'find' | 'change'>;
  readonly search: Pick<LicenseSearch, 'domainsNear'>;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly clock: Clock;
}

export function createBoughtLicenses(ports: BoughtLicensesPorts): BoughtLicenses {
  const { store, products, proofs, clock } = ports;
  const changes = createDomainChanges(store, clock);
  const explain = createExplainRecord(ports);
  const change = createProving(ports);
  const recordOf = async ({ licenseKey }: Of) => (licenseKey === null ? undefined : await store.find(licenseKey));

  return {
    async show(order) {
      const record = await recordOf(order);
      if (record === undefined) return undefined;
      const { license, domains } = record;
      const product = await products.findById(license.productId);
      const terms = product?.terms ?? defaultTerms;
      const { hosts, movesPerMonth, rotationsPerYear } = terms;
      const now = clock.now();
      return {
        license,
        status: statusOf(license, now),
        endsSoon: license.expiresAt !== null && license.expiresAt - now < soon,
        domains: domains.filter((one) => isValidAt(one, now)),
        hosts,
        keyRules: terms,
        movesPerMonth,
        rotationsPerYear,
        movesLeft: movesLeft(license, movesPerMonth, now),
      };
    },

    async explain(order, address, from) {
      const record = await recordOf(order);
      return record && (await explain(record, address, from));
    },

    proofOf({ license, domains, hosts, keyRules }, domain) {
      const host = storedAs(domain, hosts);
      const current = domains.find((one) => one.domain === domain || one.domain === host);
      const needed = canBeProven({ kind: kindOf(host, hosts), ...current, domain: host }, keyRules);
      return needed ? { host, text: proofs.textFor(license.key, host) } : undefined;
    },

    async prove({ licenseKey: key, buyer }, domain, from) {
      if (key === null) return noLicense();
      const done = await change(
        { key, hasEnded: () => false, from },
        domain,
        prove,
        (decided, at) => decided.prove && eventOfProven(key, decided.prove, { actor: buyer.email }, at),
      );
      return isRefused(done) ? done : { isNoted: done.prove !== undefined };
    },

    async move({ licenseKey, buyer }, asked) {
      if (licenseKey === null) return noLicense();
      return await changes.move(licenseKey, asked, { actor: buyer.email });
    },

    async remove({ licenseKey, buyer }, domain) {
      if (licenseKey === null) return noLicense();
      return await changes.remove(licenseKey, domain, { actor: buyer.email });
    },
  };
}

function noLicense(): Refused<'invalid_key'> {
  return refuse('invalid_key', 'There is no license key yet: the order is not paid.');
}
