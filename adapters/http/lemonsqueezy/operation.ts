import type { LicenseOperation } from '../license/operation.ts';

/** The operations of this surface. Each has the limit of an operation of the license API, and is counted with it. */
export const countedAs = {
  lemonsqueezyActivate: 'activate',
  lemonsqueezyValidate: 'verify',
  lemonsqueezyDeactivate: 'deactivate',
} as const satisfies Record<string, LicenseOperation>;
export type LemonSqueezyOperation = keyof typeof countedAs;

/** The field of the answer that says whether the operation succeeded. */
export type Flag = 'activated' | 'valid' | 'deactivated';
