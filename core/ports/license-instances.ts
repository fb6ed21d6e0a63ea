import type { DomainName } from '../licensing/domain-name.ts';
import type { InstanceId } from '../licensing/instance.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Instant } from './clock.ts';

/** An activation of a license, as clients of other systems see it. */
export interface Instance {
  readonly id: InstanceId;
  /** What the client called it. Empty if it is not known. */
  readonly name: string;
  /** The name under which the license is activated. */
  readonly domain: DomainName;
  readonly activatedAt: Instant;
}

/** Stores the ids and names of activations. They are forgotten when the activation is removed. */
export interface LicenseInstances {
  /**
   * Finds the activation with this id. Also finds those under `nameOfInstance(id)` that were never kept. It may have ended.
   */
  find(key: LicenseKey, id: InstanceId): Promise<Instance | undefined>;

  /**
   * Keeps id and name of the activation of a domain. If it has an id already, that one stays and is returned. Returns
   * `undefined` if the license is not activated there.
   */
  keep(key: LicenseKey, instance: Pick<Instance, 'id' | 'name' | 'domain'>): Promise<Instance | undefined>;

  /** What clients called these activations of a license, as far as they were kept. */
  namesOf(key: LicenseKey, domains: readonly DomainName[]): Promise<ReadonlyMap<DomainName, string>>;
}
