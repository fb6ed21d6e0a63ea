import type { Instance, LicenseInstances } from '../../ports/license-instances.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import { Unavailable } from '../../unavailable.ts';
import type { KeyNotEnough } from '../domain-proof.ts';
import { hostOfInstance, nameOfInstance, newInstanceId, parseInstanceId } from '../instance.ts';
import type { AskedKey } from '../key-lookup.ts';
import type { Inactive } from '../license.ts';
import type { LicenseKey } from '../license-key.ts';
import type { Licensing } from '../licensing.ts';
import { answerOfRefused, createForeignLicenses, type ForeignLicense, type ForeignPorts } from './foreign-license.ts';

type Refusal = Inactive | KeyNotEnough | 'domain_limit_reached' | 'free_domain_limit_reached' | 'instance_not_found';

/** The license after the operation. `refused`: why it was not carried out, or why the license is not valid. */
export interface ForeignAnswer {
  readonly license: ForeignLicense;
  readonly instance?: Instance | undefined;
  readonly refused?: Refused<Refusal>;
}

type Answered = Promise<ForeignAnswer | Refused<'invalid_key'>>;

/**
 * The license API as clients of Lemon Squeezy know it: a license is activated for instances. A license is unknown if its
 * product does not let these clients in.
 */
export interface Instances {
  /**
   * A name that is a host activates this domain, and its instance stays the same. Any other name makes one more instance
   * with each call. `from`: the network of the caller.
   */
  activate(licenseKey: string, name: string, from?: string): Answered;
  /**
   * If an instance is given and the license is valid, this counts as a verification of the activation. Without one, it starts
   * the days of a license that start with its first activation.
   */
  validate(licenseKey: string, instanceId?: string): Answered;
  /** Allowed in every status of the license. */
  deactivate(licenseKey: string, instanceId: string, from?: string): Answered;
}

interface InstancesPorts extends ForeignPorts {
  readonly licensing: Pick<Licensing, 'activate' | 'verify' | 'deactivate'>;
  readonly instances: LicenseInstances;
  readonly secrets: Pick<Secrets, 'bytes'>;
}

export function createInstances({ licensing, instances, secrets, ...ports }: InstancesPorts): Instances {
  const { clock } = ports;
  const { asking, changing, start } = createForeignLicenses('lemonsqueezy', ports, ports.products.findAdapted);

  const withInstance = async ({ key }: AskedKey, text: string): Promise<Instance | undefined> => {
    const id = parseInstanceId(text);
    return id && (await instances.find(key, id));
  };

  /** The activation stands already, so an outage must not take another slot. Without its name, it goes by its id. */
  async function keep(key: LicenseKey, instance: Omit<Instance, 'activatedAt'>): Promise<Instance> {
    const unnamed = { ...instance, activatedAt: clock.now() };
    try {
      // Without one, somebody has deactivated it already.
      return (await instances.keep(key, instance)) ?? unnamed;
    } catch (error) {
      if (error instanceof Unavailable && instance.domain === nameOfInstance(instance.id)) return unnamed;
      throw error;
    }
  }

  return {
    activate: (licenseKey, name, from) =>
      changing(licenseKey, async ({ key }) => {
        const id = newInstanceId(secrets);
        const host = hostOfInstance(name);
        const done = await licensing.activate({ licenseKey, domain: host ?? nameOfInstance(id), from });
        if (isRefused(done)) return answerOfRefused(done);
        const { domain } = done;
        // An address can have secrets in it, and who activates its host next reads the name.
        return { instance: await keep(key, { id, name: host === undefined ? name : domain, domain }) };
      }),

    validate: (licenseKey, instanceId) =>
      asking<Partial<ForeignAnswer>>(licenseKey, async (asked, before) => {
        const { status } = before;
        const instance = instanceId === undefined ? undefined : await withInstance(asked, instanceId);
        if (status !== 'active') return { instance, refused: refuse(status) };
        if (instanceId === undefined) {
          const license = await start(asked, before);
          if (isRefused(license)) return license;
          return { license, ...(license.status !== 'active' && { refused: refuse(license.status) }) };
        }
        if (instance === undefined) return { refused: refuse('instance_not_found') };
        const verdict = await licensing.verify({ licenseKey, domain: instance.domain });
        if (!isRefused(verdict)) return { instance };
        const { reason } = verdict;
        if (reason === 'invalid_key') return refuse(reason);
        if (reason === 'invalid_domain' || reason === 'not_entitled') return { refused: refuse('instance_not_found') };
        return { instance, refused: refuse(reason) };
      }),

    deactivate: (licenseKey, instanceId, from) =>
      changing(licenseKey, async (asked) => {
        const instance = await withInstance(asked, instanceId);
        if (instance === undefined) return { refused: refuse('instance_not_found') };
        const done = await licensing.deactivate({ licenseKey, domain: instance.domain, from });
        if (!isRefused(done)) return {};
        const { reason } = done;
        return reason === 'domain_not_found'
          ? { refused: refuse('instance_not_found') }
          : answerOfRefused({ ...done, reason });
      }),
  };
}
