import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import { countedAs, countedWith } from '../../../adapters/http/counted-as.ts';
import { eddEndpoints } from '../../../adapters/http/edd/endpoints.ts';
import { gumroadEndpoints } from '../../../adapters/http/gumroad/endpoints.ts';
import { lemonSqueezyEndpoints } from '../../../adapters/http/lemonsqueezy/endpoints.ts';
import type { LicenseOperation } from '../../../adapters/http/license/operation.ts';
import { licenseRoutes as routesOf } from '../../../adapters/http/license/routes.ts';
import { countAlso, type Quota } from '../../../adapters/http/rate-limit.ts';
import { type OwnSurface, openToAll, type Surface } from '../../../adapters/http/surface.ts';
import { config } from '../chosen.ts';
import type { Config } from '../config.ts';
import { part } from '../part.ts';
import { addresses, clientAddress } from './account-api.ts';
import { instances, licensing, sites, siteUpdates, uses } from './licensing.ts';
import { callCounter } from './limits.ts';

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

/** The license API as clients of Lemon Squeezy know it. Its calls are counted with those of the license API. */
export const lemonSqueezySurface = part(
  ({ config, clientAddress, instances }): OwnSurface => ({
    name: 'lemonsqueezy',
    endpoints: lemonSqueezyEndpoints(instances),
    headers: {},
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress, countedWith),
  }),
  { config, clientAddress, instances },
);

/** The verification of licenses as Gumroad has it. Its calls are counted with those of the license API. */
export const gumroadSurface = part(
  ({ config, clientAddress, uses, addresses }): OwnSurface => ({
    name: 'gumroad',
    endpoints: gumroadEndpoints({ uses, addresses }),
    headers: {},
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress, countedWith),
  }),
  { config, clientAddress, uses, addresses },
);

/** The API of EDD Software Licensing. Its calls are counted with those of the license API, once their bodies are read. */
export const eddSurface = part(
  ({ config, clientAddress, sites, updates, addresses, counter }): OwnSurface => {
    const limits = limitsOf(config);
    const most = perMinute(Math.max(...Object.values(limits)));
    const quotaOf = quotasOf(config, clientAddress);
    return {
      name: 'edd',
      endpoints: eddEndpoints({
        sites,
        updates,
        addresses,
        baseUrl: config.BASE_URL,
        async count(ctx, operation) {
          if (counter.count) await countAlso(counter.count, 'edd', quotaOf(ctx.req, countedAs[operation]), ctx);
        },
      }),
      headers: {},
      cors: openToAll,
      quotaOf: ({ request }) => ({ subject: `edd:${clientAddress(request)}`, allowances: most }),
    };
  },
  { config, clientAddress, sites, updates: siteUpdates, addresses, counter: callCounter },
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
  const quotaOf = quotasOf(config, clientAddress);
  return ({ request, endpoint }) => quotaOf(request, endpoint && operationOf(endpoint.id));
}

function quotasOf(config: Config, clientAddress: ClientAddress) {
  const allowancesOf = new Map(Object.entries(limitsOf(config)).map(([name, limit]) => [name, perMinute(limit)]));
  const others = perMinute(config.RATE_LIMIT_STATUS);
  return (request: IncomingMessage, operation: string | undefined): Quota => ({
    subject: `license:${operation ?? 'unknown'}:${clientAddress(request)}`,
    allowances: allowancesOf.get(operation ?? '') ?? others,
  });
}

function limitsOf(config: Config) {
  return {
    activate: config.RATE_LIMIT_ACTIVATE,
    deactivate: config.RATE_LIMIT_DEACTIVATE,
    verify: config.RATE_LIMIT_VERIFY,
    status: config.RATE_LIMIT_STATUS,
  } satisfies Record<LicenseOperation, number>;
}

const perMinute = (limit: number) => [{ limit, seconds: 60 }];
