import { ContainerModule } from 'inversify';
import { storefrontRoutes } from '../../../adapters/http/account/storefront/routes.ts';
import { byPlan } from '../../../adapters/http/authenticate.ts';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { isUnder, openToAll, type Surface } from '../../../adapters/http/surface.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';

const shared = {
  owns: (path: string) => isUnder(path, '/api/marketplace/products'),
  envelope: accountEnvelope,
};
const surface = token<Surface>('storefrontSurface');

const module = new ContainerModule(({ bind }) => {
  bind(t.storefrontRoutes).toResolvedValue(storefrontRoutes, [t.storefront, t.addresses]);
  bind(surface).toResolvedValue(
    (config, clientAddress, endpoints): Surface => ({
      ...shared,
      name: 'storefront',
      endpoints,
      headers: transportHeaders(config.BASE_URL, config.HSTS_INCLUDE_SUBDOMAINS),
      cors: openToAll,
      // Nobody is known, so each address has the limits of the free plan.
      quotaOf: byPlan(clientAddress),
    }),
    [t.config, t.clientAddress, t.storefrontRoutes],
  );
});

/** The part of the account API that needs no key, and that pages of any origin may call. */
export const storefront: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account'],
  usesFiles: true,
  url: 'BASE_URL',
  documented: t.storefrontRoutes,
};
