import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import { lemonSqueezyEndpoints } from '../../../adapters/http/lemonsqueezy/endpoints.ts';
import { countedAs } from '../../../adapters/http/lemonsqueezy/operation.ts';
import type { LicenseOperation } from '../../../adapters/http/license/operation.ts';
import { licenseRoutes as routesOf } from '../../../adapters/http/license/routes.ts';
import { type OwnSurface, openToAll, type Surface } from '../../../adapters/http/surface.ts';
import { config } from '../chosen.ts';
import type { Config } from '../config.ts';
import { part } from '../part.ts';
import { clientAddress } from './account-api.ts';
import { instances, licensing } from './licensing.ts';

export const licenseRoutes = part(({ licensing }) => routesOf(licensing), { licensing });

/** The license API: public, for any origin, limited by operation and address. */
export const licenseSurface = part(
  ({ config, clientAddress, endpoints }): OwnSurface => ({
    name: 'license',
    endpoints,
    headers: {},
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress, (id) => id),
  }),
  { config, clientAddress, endpoints: licenseRoutes },
);

const operations: ReadonlyMap<string, LicenseOperation> = new Map(Object.entries(countedAs));

/** The license API as clients of Lemon Squeezy know it. Its calls are counted with those of the license API. */
export const lemonSqueezySurface = part(
  ({ config, clientAddress, instances }): OwnSurface => ({
    name: 'lemonsqueezy',
    endpoints: lemonSqueezyEndpoints(instances),
    headers: {},
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress, (id) => operations.get(id)),
  }),
  { config, clientAddress, instances },
);

/**
 * Counts the calls of each operation by address. `operationOf` returns the operation with whose calls an endpoint is counted.
 * Unknown paths have the limit of `status`.
 */
function perOperation(
  config: Config,
  clientAddress: ClientAddress,
  operationOf: (endpoint: string) => string | undefined,
): Surface['quotaOf'] {
  const limits = {
    activate: config.RATE_LIMIT_ACTIVATE,
    deactivate: config.RATE_LIMIT_DEACTIVATE,
    verify: config.RATE_LIMIT_VERIFY,
    status: config.RATE_LIMIT_STATUS,
  } satisfies Record<LicenseOperation, number>;
  const allowancesOf = new Map(Object.entries(limits).map(([name, limit]) => [name, perMinute(limit)]));
  const others = perMinute(config.RATE_LIMIT_STATUS);
  return ({ request, endpoint }) => {
    const operation = endpoint && operationOf(endpoint.id);
    return {
      subject: `license:${operation ?? 'unknown'}:${clientAddress(request)}`,
      allowances: allowancesOf.get(operation ?? '') ?? others,
    };
  };
}

const perMinute = (limit: number) => [{ limit, seconds: 60 }];
