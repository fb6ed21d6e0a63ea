import { ContainerModule } from 'inversify';
import { licenseEnvelope } from '../../../adapters/http/envelopes.ts';
import { healthEndpoints } from '../../../adapters/http/health.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import type { Surface } from '../../../adapters/http/surface.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';

const shared = {
  owns: (path: string) => path === '/health/live' || path === '/health/ready',
  envelope: licenseEnvelope,
};
const surface = token<Surface>('healthSurface');

const module = new ContainerModule(({ bind }) => {
  bind(surface).toResolvedValue(
    (config, clientAddress, checks, dispensable, { accepts }): Surface => ({
      ...shared,
      name: 'health',
      endpoints: healthEndpoints({ checks, dispensable, accepts }),
      headers: transportHeaders(config.VERIFY_URL, config.HSTS_INCLUDE_SUBDOMAINS),
      quotaOf: perAddress('health', clientAddress, config.RATE_LIMIT_HEALTH),
    }),
    [t.config, t.clientAddress, t.neededChecks, t.warnings, t.lifecycle],
  );
});

/** The surface of `/health/…`, which every process serves. */
export const health: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account', 'license'],
  url: 'VERIFY_URL',
};
