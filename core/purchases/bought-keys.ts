import { mintLicenseKey } from '../licensing/license-key.ts';
import { type Rotated, type RotationRefused, rotate, rotationRefused } from '../licensing/rotation.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Order } from './order.ts';

/** Replaces the key of the license of an order, as often in a year as the product allows. */
export type RotateBoughtKey = (
  order: Pick<Order, 'licenseKey' | 'buyer'>,
  overlapDays: number,
) => Promise<Rotated | Refused<'invalid_key' | RotationRefused>>;

interface BoughtKeysPorts {
  readonly aliases: Pick<LicenseAliases, 'change'>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'bytes'>;
  readonly write: WriteLetter;
}

export function createRotateBoughtKey({ aliases, clock, secrets, write }: BoughtKeysPorts): RotateBoughtKey {
  return async ({ licenseKey, buyer }, overlapDays) => {
    if (licenseKey === null) return refuse('invalid_key', 'There is no license key yet: the order is not paid.');
    const wanted = { newKey: mintLicenseKey(secrets), overlapDays, isByHolder: true };
    const changed = await aliases.change(licenseKey, (license, scene) =>
      rotate(license, scene, wanted, { actor: buyer.email }, write, clock.now()),
    );
    return isRefused(changed) ? rotationRefused(changed) : changed.rotated;
  };
}
