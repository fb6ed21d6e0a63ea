import { createGuard, type LicenseGuard, type Verdict } from '../../../apps/sdk/guard/guard.ts';
import type { GuardOptions } from '../../../apps/sdk/guard/options.ts';
import type { Platform } from '../../../apps/sdk/platform.ts';
import { claimsOf, headerOf, signedBy, testKeys } from '../../support/lease-vectors.ts';
import { type ManualPlatform, manualPlatform, ownStorage, patient } from './manual-platform.ts';

export const keys = testKeys('a key of a test');
export const licenseKey = 'LIC-7H2K-9QWX-M4TB-C0VJ';
export const url = 'https://licenses.example.com';
export const domain = 'shop.example.com';

/** A lease of 7 days, issued at this time in milliseconds. */
export function leaseAt(now: number, more: object = {}, by = keys): string {
  return signedBy(by, headerOf(by), { ...claimsOf(Math.floor(now / 1000), url, domain, licenseKey), ...more });
}

/** An answer: a status and a body. `cut`: none. */
export type Mode = 'leased' | 'cut' | readonly [status: number, body: unknown];

/** A site with leases, whose clock and whose license server the test sets. */
export interface LeaseSite {
  readonly calls: string[];
  /** `leased`: with a new lease each time. */
  mode: Mode;
  readonly platform: ManualPlatform;
  readonly storage: ReturnType<typeof ownStorage>;
  /** The server has another clock: nobody sets it back. */
  serverNow(): number;
  guard(options?: Partial<GuardOptions>): LicenseGuard;
  /** Loads the page anew, with the same storage. */
  reload(): void;
  pass(milliseconds: number): void;
}

export function openLeaseSite(parts: Partial<Platform> = {}): LeaseSite {
  let passed = 0;
  const start = Date.UTC(2026, 0, 1);
  const storage = ownStorage();
  const calls: string[] = [];
  const fetch: Platform['fetch'] = async (address) => {
    calls.push(address.split('?')[0] ?? '');
    if (site.mode === 'cut') throw new TypeError('fetch failed');
    const [status, body] =
      site.mode === 'leased' ? [200, { valid: true, lease: leaseAt(site.serverNow()) }] : site.mode;
    return { status, headers: { get: () => null }, text: async () => JSON.stringify(body) };
  };
  let platform = manualPlatform({ fetch, ...parts }, start);
  const site: LeaseSite = {
    calls,
    mode: 'leased',
    get platform() {
      return platform;
    },
    storage,
    serverNow: () => start + passed,
    guard: (options) =>
      createGuard(
        { url, licenseKey, domain, timeout: patient, publicKeys: [keys.publicKey], storage, ...options },
        platform,
      ),
    reload() {
      platform = platform.reload();
    },
    pass(milliseconds) {
      passed += milliseconds;
      platform.pass(milliseconds);
    },
  };
  return site;
}

export const summary = ({ state, reason, fromCache }: Verdict) => [state, reason, fromCache];
