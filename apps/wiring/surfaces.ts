import type { Config } from './config.ts';
import { accountApi } from './modules/account-api.ts';
import { dashboard } from './modules/dashboard.ts';
import { health } from './modules/health.ts';
import { hooks } from './modules/hooks.ts';
import { licenseApi } from './modules/license-api.ts';
import { site } from './modules/site.ts';
import { storefront } from './modules/storefront.ts';
import type { ServedSurface } from './served-surface.ts';

/** All surfaces. The first one that owns a path answers it, so the license API, which owns every path, is the last. */
export const surfaces: readonly ServedSurface[] = [health, hooks, site, dashboard, storefront, accountApi, licenseApi];

/** Whether a process with this SURFACE reads or writes stored files. */
export function servesFiles(surface: Config['SURFACE']): boolean {
  return surfaces.some(({ servedBy, usesFiles = false }) => usesFiles && servedBy.includes(surface));
}

/** Whether a process with this SURFACE serves accounts. Such a process also does the work after the answer. */
export function servesAccounts(surface: Config['SURFACE']): boolean {
  return accountApi.servedBy.includes(surface);
}
