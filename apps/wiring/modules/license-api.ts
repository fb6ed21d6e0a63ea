import { ContainerModule } from 'inversify';
import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import { licenseEnvelope } from '../../../adapters/http/envelopes.ts';
import type { LicenseOperation } from '../../../adapters/http/license/operation.ts';
import { licenseRoutes } from '../../../adapters/http/license/routes.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { openToAll, type Surface } from '../../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';

const shared = { owns: () => true, envelope: licenseEnvelope };
const surface = token<Surface>('licenseSurface');

const module = new ContainerModule(({ bind }) => {
  bind(t.licenseRoutes).toResolvedValue(licenseRoutes, [t.licensing]);
  bind(surface).toResolvedValue(
    (config, clientAddress, endpoints): Surface => ({
      ...shared,
      name: 'license',
      endpoints,
      headers: transportHeaders(config.VERIFY_URL, config.HSTS_INCLUDE_SUBDOMAINS),
      cors: openToAll,
      quotaOf: perOperation(config, clientAddress),
    }),
    [t.config, t.clientAddress, t.licenseRoutes],
  );
});

/**
 * The license API: public, for any origin, limited by operation and address. It owns all paths that no other surface
 * owns.
 */
export const licenseApi: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'license'],
  url: 'VERIFY_URL',
  documented: t.licenseRoutes,
};

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
