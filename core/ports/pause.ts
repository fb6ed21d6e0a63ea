import type { LicenseKey } from '../licensing/license-key.ts';

/** Waits as long as a slow answer takes. Throws `Forced` of the core if too many wait already, of this license or of all. */
export type Pause = (license: LicenseKey) => Promise<void>;
