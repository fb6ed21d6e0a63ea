import { byPlan } from '../../../adapters/http/authenticate.ts';
import { storefrontRoutes as routesOf } from '../../../adapters/http/storefront/routes.ts';
import { type OwnSurface, openToAll } from '../../../adapters/http/surface.ts';
import { part } from '../part.ts';
import { addresses, clientAddress } from './addresses.ts';
import { storefront } from './marketplace.ts';

export const storefrontRoutes = part(({ storefront, addresses }) => routesOf(storefront, addresses), {
  storefront,
  addresses,
});

/** The part of the account API that needs no key, and that pages of any origin may call. */
export const storefrontSurface = part(
  ({ clientAddress, endpoints }): OwnSurface => ({
    name: 'storefront',
    endpoints,
    cors: openToAll,
    // Nobody is known, so each address has the limits of the free plan.
    quotaOf: byPlan(clientAddress),
  }),
  { clientAddress, endpoints: storefrontRoutes },
);
