import { accountApi } from './modules/account-api.ts';
import { health } from './modules/health.ts';
import { licenseApi } from './modules/license-api.ts';
import { site } from './modules/site.ts';
import type { ServedSurface } from './served-surface.ts';

/** All surfaces. The first one that owns a path answers it, so the license API, which owns every path, is the last. */
export const surfaces: readonly ServedSurface[] = [health, site, accountApi, licenseApi];
