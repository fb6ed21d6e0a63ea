/** The operations of the license API. They are the ids of its endpoints. */
export type LicenseOperation = 'activate' | 'verify' | 'deactivate' | 'status';

/** Whether the endpoint with this id is the verification of licenses. */
export function isVerification(endpoint: string | undefined): boolean {
  return endpoint === ('verify' satisfies LicenseOperation);
}
