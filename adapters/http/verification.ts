import type { EddOperation } from './edd/operation.ts';
import type { GumroadOperation } from './gumroad/operation.ts';
import type { LemonSqueezyOperation } from './lemonsqueezy/operation.ts';
import type { LicenseOperation } from './license/operation.ts';

const verifications: readonly (string | undefined)[] = [
  'verify' satisfies LicenseOperation,
  'lemonsqueezyValidate' satisfies LemonSqueezyOperation,
  'gumroadVerify' satisfies GumroadOperation,
  'eddCheck' satisfies EddOperation,
  'eddVersion' satisfies EddOperation,
  'eddMetadata' satisfies EddOperation,
];

/** Whether the endpoint with this id verifies licenses. */
export function isVerification(endpoint: string | undefined): boolean {
  return verifications.includes(endpoint);
}
