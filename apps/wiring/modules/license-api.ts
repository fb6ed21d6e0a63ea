import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import type { LicenseOperation } from '../../../adapters/http/license/operation.ts';
import { licenseRoutes as routesOf } from '../../../adapters/http/license/routes.ts';
import { type OwnSurface, openToAll, type Surface } from '../../../adapters/http/surface.ts';
import { config } from '../chosen.ts';
import type { Config } from '../config.ts';
import { part } from '../part.ts';
import { clientAddress } from './account-api.ts';
import { licensing } from './licensing.ts';

export const licenseRoutes = part(({ licensing }) => routesOf(licensing), { licensing });

/** The license API: public, for any origin, limited by operation and address. */
export const licenseSurface = part(
  ({ config, clientAddress, endpoints }): OwnSurface => ({
    name: 'license',
    endpoints,
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress),
  }),
  { config, clientAddress, endpoints: licenseRoutes },
);

/** Counts the calls of each operation by address. Unknown paths have the limit of `status`. */
function perOperation(config: Config, clientAddress: ClientAddress): Surface['quotaOf'] {
  const limits = {
    activate: config.RATE_LIMIT_ACTIVATE,
    deactivate: config.RATE_LIMIT_DEACTIVATE,
    verify: config.RATE_LIMIT_VERIFY,
    status: config.RATE_LIMIT_STATUS,
  } satisfies Record<LicenseOperation, number>;
  const limitOf = new Map<string, number>(Object.entries(limits));
  return ({ request, endpoint }) => ({
    subject: `license:${endpoint?.id ?? 'unknown'}:${clientAddress(request)}`,
    allowances: [{ limit: limitOf.get(endpoint?.id ?? '') ?? config.RATE_LIMIT_STATUS, seconds: 60 }],
  });
}
