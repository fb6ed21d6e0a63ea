import type { LicenseOperation } from './license/operation.ts';

/**
 * The operations that have the limit of an operation of the license API, and are counted with it, in limits and in metrics: a
 * lease is a verification with a signature. The others are for clients of other systems.
 */
export const countedAs = {
  lease: 'verify',
  lemonsqueezyActivate: 'activate',
  lemonsqueezyValidate: 'verify',
  lemonsqueezyDeactivate: 'deactivate',
  eddActivate: 'activate',
  eddCheck: 'verify',
  eddDeactivate: 'deactivate',
  eddVersion: 'verify',
  eddMetadata: 'verify',
  gumroadVerify: 'verify',
  slmActivate: 'activate',
  slmCheck: 'verify',
  slmDeactivate: 'deactivate',
} as const satisfies Record<string, LicenseOperation>;

type Operation = keyof typeof countedAs;
export type LemonSqueezyOperation = Extract<Operation, `lemonsqueezy${string}`>;
export type EddOperation = Extract<Operation, `edd${string}`>;
export type GumroadOperation = Extract<Operation, `gumroad${string}`>;
export type SlmOperation = Extract<Operation, `slm${string}`>;

const operations: ReadonlyMap<string, LicenseOperation> = new Map(Object.entries(countedAs));

/** The operation of the license API with which the calls of such an endpoint are counted. */
export function countedWith(endpoint: string): LicenseOperation | undefined {
  return operations.get(endpoint);
}

/** Whether the endpoint with this id verifies licenses. */
export function isVerification(endpoint: string | undefined): boolean {
  return endpoint !== undefined && (endpoint === 'verify' || countedWith(endpoint) === 'verify');
}
