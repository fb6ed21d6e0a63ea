import { z } from 'zod';
import type { FailureReason } from '../failures.ts';
import { domain, entitlement, licenseKey } from '../fields.ts';
import type { Tag } from '../route.ts';

export const tag: Tag = {
  name: 'License',
  description: 'Domain-locked licenses. Deployed applications call these operations.',
};

/** Both forms of the path of an operation. */
export const paths = (operation: string) => [`/${operation}`, `/api/license/${operation}`];

export const binding = z.object({ license_key: licenseKey, domain }).meta({ id: 'LicenseBinding' });

/** What a verification is asked. */
export const verified = binding.extend({ entitlement: entitlement.optional() });

export const verifyRefusals = [
  'invalid_key',
  'invalid_domain',
  'suspended',
  'revoked',
  'expired',
  'not_entitled',
] as const satisfies readonly FailureReason[];
