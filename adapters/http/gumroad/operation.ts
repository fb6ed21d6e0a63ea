import type { LicenseOperation } from '../license/operation.ts';

/** The operation of this surface. It has the limit of an operation of the license API, and is counted with it. */
export const countedAs = { gumroadVerify: 'verify' } as const satisfies Record<string, LicenseOperation>;
export type GumroadOperation = keyof typeof countedAs;
