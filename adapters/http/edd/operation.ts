import type { LicenseOperation } from '../license/operation.ts';

/** The operations of this surface. Each has the limit of an operation of the license API, and is counted with it. */
export const countedAs = {
  eddActivate: 'activate',
  eddCheck: 'verify',
  eddDeactivate: 'deactivate',
  eddVersion: 'verify',
  eddMetadata: 'verify',
} as const satisfies Record<string, LicenseOperation>;
export type EddOperation = keyof typeof countedAs;
