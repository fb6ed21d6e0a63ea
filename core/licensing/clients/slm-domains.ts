import { foldedName } from '../../marketplace/product-adapters.ts';
import type { LicenseInstances } from '../../ports/license-instances.ts';
import type { LicenseStore } from '../../ports/license-store.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import type { KeyNotEnough } from '../domain-proof.ts';
import { hostOfInstance, instanceIdOf, isInstance, longestInstanceName } from '../instance.ts';
import { type Inactive, isValidAt, shownDomains } from '../license.ts';
import type { Licensing } from '../licensing.ts';
import { answerOfRefused, createForeignLicenses, type ForeignLicense, type ForeignPorts } from './foreign-license.ts';
import { activationOf } from './sites.ts';

/** What a client of Software License Manager says of itself. The texts can be empty. */
export interface AskedSlmDomain {
  readonly licenseKey: string;
  /** What its store has given to all of its clients. */
  readonly secretKey: string;
  /** What the reference that the client sends can mean: clients encode it in several ways. Empty if it sends none. */
  readonly references: readonly string[];
  /** The domain of a site, or any other text that names a machine. */
  readonly domain: string;
  /** The network of the caller. */
  readonly from?: string;
}

type Refusal =
  | Inactive
  | KeyNotEnough
  | 'domain_missing'
  | 'domain_not_found'
  | 'already_activated'
  | 'already_activated_and_full'
  | 'domain_limit_reached'
  | 'free_domain_limit_reached';

/** The license after the operation. `refused`: why nothing was changed. */
export interface SlmAnswer {
  readonly license: ForeignLicense;
  readonly refused?: Refused<Refusal>;
}

/** The domains are the newest ones. If the license has more than `mostRead`, only the one that the client named, if it is valid. A machine that is no host is among them only if the client named it. */
export type CheckedSlmLicense = SlmAnswer & { readonly domains: readonly string[] };

/** To find the newest domains of a license, all are read: so many can be read for each call. */
const mostRead = 1_000;

type Answered<Answer> = Promise<Answer | Refused<'invalid_key'>>;

/**
 * The license API as clients of Software License Manager know it: a license is activated for domains. A license is unknown if its
 * product does not let these clients in, or if the client has another secret key or belongs to another product.
 */
export interface SlmDomains {
  /** Refuses a domain that is activated already, as there. */
  activate(asked: AskedSlmDomain): Answered<SlmAnswer>;
  /** Allowed in every status of the license. */
  deactivate(asked: AskedSlmDomain): Answered<SlmAnswer>;
  /** Never refuses a license by its status. If a domain is named and the license is valid for it, this counts as a verification. */
  check(asked: AskedSlmDomain): Answered<CheckedSlmLicense>;
}

interface SlmPorts extends ForeignPorts {
  readonly store: Pick<LicenseStore, 'look' | 'change' | 'find'>;
  readonly licensing: Pick<Licensing, 'activate' | 'verify' | 'deactivate'>;
  readonly instances: Pick<LicenseInstances, 'keep'>;
  readonly secrets: Pick<Secrets, 'digest'>;
}

export function createSlmDomains({ licensing, instances, secrets, ...ports }: SlmPorts): SlmDomains {
  const { store, products, clock } = ports;
  const { asking, changing } = createForeignLicenses('slm', ports, products.findAdapted);
  return {
    async activate({ licenseKey, domain: text, from, ...client }) {
      let before: ForeignLicense | undefined;
      const done = await changing<Partial<SlmAnswer>>(licenseKey, async ({ key }, license) => {
        if (!isOf(license, client)) return refuse('invalid_key');
        before = license;
        if (text === '') return { refused: refuse('domain_missing') };
        const domain = activationOf(text, secrets);
        const activated = await licensing.activate({ licenseKey, domain, from });
        if (isRefused(activated)) return answerOfRefused(activated);
        if (hostOfInstance(text) === undefined) {
          const name = [...text].slice(0, longestInstanceName).join('');
          await instances.keep(key, { id: instanceIdOf(text, secrets), name, domain });
        }
        return {};
      });
      if (isRefused(done) || done.refused || before === undefined) return done;
      if (done.license.activations > before.activations) return done;
      const isFull = done.license.domainsUsed >= done.license.maxDomains;
      return { ...done, refused: refuse(isFull ? 'already_activated_and_full' : 'already_activated') };
    },

    deactivate: ({ licenseKey, domain: text, from, ...client }) =>
      changing<Partial<SlmAnswer>>(licenseKey, async (_, license) => {
        if (!isOf(license, client)) return refuse('invalid_key');
        if (text === '') return { refused: refuse('domain_missing') };
        const done = await licensing.deactivate({ licenseKey, domain: activationOf(text, secrets), from });
        return isRefused(done) ? answerOfRefused(done) : {};
      }),

    check: ({ licenseKey, domain: text, ...client }) =>
      asking<Omit<CheckedSlmLicense, 'license'>>(licenseKey, async ({ key }, license) => {
        if (!isOf(license, client)) return refuse('invalid_key');
        const domain = activationOf(text, secrets);
        let isValid = false;
        if (text !== '' && license.status === 'active') {
          const verdict = await licensing.verify({ licenseKey, domain });
          if (isRefused(verdict) && verdict.reason === 'invalid_key') return refuse('invalid_key');
          isValid = !isRefused(verdict);
        }
        if (license.activations > mostRead) {
          return { domains: isValid ? [isInstance(domain) ? text : domain] : [] };
        }
        const valid = (await store.find(key))?.domains.filter((one) => isValidAt(one, clock.now())) ?? [];
        const newest = valid.slice(0, shownDomains).map(({ domain }) => domain);
        // Whoever knows what a machine is called can deactivate it. Only its own client knows it.
        const own = text !== '' && newest.includes(domain) && hostOfInstance(text) === undefined;
        return { domains: [...(own ? [text] : []), ...newest.filter((one) => !isInstance(one))] };
      }),
  };
}

/** Whether a client belongs to the product of a license. Without a secret key, nobody does. */
function isOf(
  { product }: Pick<ForeignLicense, 'product'>,
  client: Pick<AskedSlmDomain, 'secretKey' | 'references'>,
): boolean {
  const { secretKey, itemReference } = product.adapters.slm;
  if (secretKey === null || client.secretKey !== secretKey) return false;
  if (client.references.length === 0 || itemReference === null) return true;
  return client.references.some((one) => foldedName(one) === foldedName(itemReference));
}
