/** The operations of the license API. These names are also the ids of the endpoints. */
export type LicenseOperation = 'activate' | 'verify' | 'deactivate' | 'status';
