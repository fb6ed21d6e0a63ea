import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import { countedAs, countedWith } from '../../../adapters/http/counted-as.ts';
import { eddEndpoints } from '../../../adapters/http/edd/endpoints.ts';
import { gumroadEndpoints } from '../../../adapters/http/gumroad/endpoints.ts';
import { lemonSqueezyEndpoints } from '../../../adapters/http/lemonsqueezy/endpoints.ts';
import { leaseRoutes } from '../../../adapters/http/license/lease-routes.ts';
import type { LicenseOperation } from '../../../adapters/http/license/operation.ts';
import { licenseRoutes as routesOf } from '../../../adapters/http/license/routes.ts';
import { type CountCall, countAlso, type Quota } from '../../../adapters/http/rate-limit.ts';
import { slmEndpoints } from '../../../adapters/http/slm/endpoints.ts';
import type { Context } from '../../../adapters/http/state.ts';
import { type OwnSurface, openToAll, type Surface } from '../../../adapters/http/surface.ts';
import { clock, config } from '../chosen.ts';
import type { Config } from '../config.ts';
import { part } from '../part.ts';
import { addresses, clientAddress } from './addresses.ts';
import { leaseKeys, leasing } from './leases.ts';
import { instances, licensing, sites, siteUpdates, slmDomains, uses } from './licensing.ts';
import { callCounter } from './limits.ts';

export const licenseRoutes = part(
  ({ licensing, clientAddress, leasing, leaseKeys }) => [
    ...routesOf(licensing, clientAddress),
    ...leaseRoutes(leasing, leaseKeys),
  ],
  { licensing, clientAddress, leasing, leaseKeys },
);

/** The license API: public, for any origin, limited by operation and address. */
export const licenseSurface = part(
  ({ config, clientAddress, endpoints }): OwnSurface => ({
    name: 'license',
    endpoints,
    headers: {},
    cors: openToAll,
    quotaOf: perOperation(config, clientAddress, (id) => countedWith(id) ?? id),
  }),
  { config, clientAddress, endpoints: licenseRoutes },
);

/** The license API as clients of Lemon Squeezy know it. Its calls are counted with those of the license API. */
export const lemonSqueezySurface = part(
  ({ config, clientAddress, instances }): OwnSurface => ({
    name: 'lemonsqueezy',
    endpoints: lemonSqueezyEndpoints(instances, clientAddress),
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
  ({ config, clientAddress, sites, updates, addresses, counter }): OwnSurface => ({
    name: 'edd',
    endpoints: eddEndpoints({
      sites,
      updates,
      addresses,
      clientAddress,
      baseUrl: config.BASE_URL,
      count: countedByBody('edd', config, clientAddress, counter),
    }),
    headers: {},
    cors: openToAll,
    quotaOf: perName('edd', config, clientAddress),
  }),
  { config, clientAddress, sites, updates: siteUpdates, addresses, counter: callCounter },
);

/** The API of Software License Manager. Its calls are counted as those of EDD. */
export const slmSurface = part(
  ({ config, clientAddress, domains, clock, counter }): OwnSurface => ({
    name: 'slm',
    endpoints: slmEndpoints({
      ...{ domains, clock, clientAddress },
      count: countedByBody('slm', config, clientAddress, counter),
    }),
    headers: {},
    cors: openToAll,
    quotaOf: perName('slm', config, clientAddress),
  }),
  { config, clientAddress, domains: slmDomains, clock, counter: callCounter },
);

/** Counts a call with the calls of an operation of the license API, if only its body says which. */
function countedByBody(
  surface: string,
  config: Config,
  clientAddress: ClientAddress,
  { count }: { readonly count?: CountCall | undefined },
) {
  const quotaOf = quotasOf(config, clientAddress);
  return async (ctx: Context, operation: keyof typeof countedAs): Promise<void> => {
    if (count) await countAlso(count, surface, quotaOf(ctx.req, countedAs[operation]), ctx);
  };
}

/** Counts all calls of a surface together, before their bodies are read. */
function perName(surface: string, config: Config, clientAddress: ClientAddress): Surface['quotaOf'] {
  const most = perMinute(Math.max(...Object.values(limitsOf(config))));
  return ({ request }) => ({ subject: `${surface}:${clientAddress(request)}`, allowances: most });
}

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
