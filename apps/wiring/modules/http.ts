import { ContainerModule, type Newable } from 'inversify';
import { createApp } from '../../../adapters/http/app.ts';
import { createClientAddress } from '../../../adapters/http/client-address.ts';
import { accountEnvelope, licenseEnvelope } from '../../../adapters/http/envelopes.ts';
import { createReporter } from '../../../adapters/http/exchange.ts';
import { healthEndpoints, type Readiness } from '../../../adapters/http/operations.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { createShortcut } from '../../../adapters/http/shortcut.ts';
import { createRouting, type Surface } from '../../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import { createLifecycle } from '../lifecycle.ts';
import { t } from '../tokens.ts';
import { isOfAccountApi } from './account-api.ts';
import { isOfSite } from './site.ts';

/** The surfaces of a process. The first one that owns a path answers it. Other surfaces are never made. */
const served: Readonly<Record<Config['SURFACE'], readonly Newable<Surface>[]>> = {
  all: [t.healthSurface, t.siteSurface, t.accountSurface, t.licenseSurface],
  account: [t.healthSurface, t.siteSurface, t.accountSurface, t.closedSurface],
  license: [t.healthSurface, t.closedSurface, t.licenseSurface],
};

/** The HTTP service. */
export const http = (surface: Config['SURFACE']) =>
  new ContainerModule(({ bind }) => {
    const withFiles = surface !== 'license';
    bind(t.lifecycle).toResolvedValue(createLifecycle);
    bind(t.clientAddress).toResolvedValue((config) => createClientAddress(config.TRUSTED_PROXIES), [t.config]);
    bind(t.reporter).toResolvedValue(
      (log, metrics, tracing, clientAddress) =>
        createReporter(
          log,
          {
            observe(exchange, seconds) {
              metrics.observe(exchange, seconds);
              tracing.request(exchange, seconds);
            },
          },
          clientAddress,
        ),
      [t.log, t.metrics, t.tracing, t.clientAddress],
    );

    bind(t.neededChecks).toResolvedValue(allOf, [t.databaseChecks, ...(withFiles ? [t.fileChecks] : [])]);
    bind(t.warnings).toResolvedValue(allOf, [
      t.limiterWarnings,
      t.databaseWarnings,
      ...(withFiles ? [t.fileWarnings] : []),
    ]);
    bind(t.healthSurface).toResolvedValue(
      (config, clientAddress, checks, dispensable, { accepts }): Surface => ({
        name: 'health',
        owns: (path) => path === '/health/live' || path === '/health/ready',
        endpoints: healthEndpoints({ checks, dispensable, accepts }),
        envelope: licenseEnvelope,
        headers: transportHeaders(config.VERIFY_URL, config.HSTS_INCLUDE_SUBDOMAINS),
        quotaOf: perAddress('health', clientAddress, config.RATE_LIMIT_HEALTH),
      }),
      [t.config, t.clientAddress, t.neededChecks, t.warnings, t.lifecycle],
    );
    bind(t.closedSurface).toResolvedValue(
      (config, clientAddress): Surface => ({
        name: 'pages',
        ...(surface === 'license'
          ? {
              owns: (path) => isOfAccountApi(path) || isOfSite(path),
              envelope: accountEnvelope,
              headers: transportHeaders(config.BASE_URL, config.HSTS_INCLUDE_SUBDOMAINS),
            }
          : {
              owns: () => true,
              envelope: licenseEnvelope,
              headers: transportHeaders(config.VERIFY_URL, config.HSTS_INCLUDE_SUBDOMAINS),
            }),
        endpoints: [],
        quotaOf: perAddress('pages', clientAddress, config.RATE_LIMIT_PAGES),
      }),
      [t.config, t.clientAddress],
    );
    bind(t.surfaces).toResolvedValue((...surfaces: Surface[]) => surfaces, [...served[surface]]);

    bind(t.app).toResolvedValue(
      (surfaces, { count }, reporter) => createApp(createRouting(surfaces, count), reporter),
      [t.surfaces, t.callCounter, t.reporter],
    );
    bind(t.listener).toResolvedValue(
      (app, surfaces, { count }, reporter) => createShortcut({ surfaces, count, reporter }, app.callback()),
      [t.app, t.surfaces, t.callCounter, t.reporter],
    );
  });

function allOf(...checks: Readiness['checks'][]): Readiness['checks'] {
  return Object.assign({}, ...checks);
}
