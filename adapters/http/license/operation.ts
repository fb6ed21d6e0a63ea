/** The operations of the license API. These names are also the ids of the endpoints. */
export type LicenseOperation = 'activate' | 'verify' | 'deactivate' | 'status';

/** Whether the endpoint with this id is the verification of licenses. */
export function isVerification(endpoint: string | undefined): boolean {
  return endpoint === ('verify' satisfies LicenseOperation);
}
