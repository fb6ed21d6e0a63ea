import { ContainerModule } from 'inversify';
import { createApp } from '../../../adapters/http/app.ts';
import { type ClientAddress, createClientAddress } from '../../../adapters/http/client-address.ts';
import { createReporter } from '../../../adapters/http/exchange.ts';
import type { Readiness } from '../../../adapters/http/health.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import type { Route } from '../../../adapters/http/route.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { createShortcut } from '../../../adapters/http/shortcut.ts';
import { createNotFound } from '../../../adapters/http/site/not-found.ts';
import { createRouting, type SendNotFound, type Surface } from '../../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import { createLifecycle } from '../lifecycle.ts';
import type { ServedSurface } from '../served-surface.ts';
import { servesFiles, surfaces } from '../surfaces.ts';
import { t, token } from '../tokens.ts';
import { site } from './site.ts';

const notFound = token<SendNotFound>('notFound');

/** The HTTP service. */
export const http = (surface: Config['SURFACE']) =>
  new ContainerModule(({ bind }) => {
    const withFiles = servesFiles(surface);
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
    bind(t.surfaces).toResolvedValue(
      (...made: Surface[]) => made,
      surfaces.map((one) => {
        if (one.servedBy.includes(surface)) return one.token;
        const closed = token<Surface>('closedSurface');
        bind(closed).toResolvedValue(closedSurface(one), [t.config, t.clientAddress]);
        return closed;
      }),
    );
    bind(t.documentedApis).toResolvedValue(
      (config, ...routes: (readonly Route[])[]) =>
        documented.map(({ url }, n) => ({ url: config[url], routes: routes[n] ?? [] })),
      [t.config, ...documented.map(({ routes }) => routes)],
    );

    if (site.servedBy.includes(surface)) bind(notFound).toResolvedValue(createNotFound, [t.publicFrame]);
    else bind(notFound).toConstantValue(async () => false);
    bind(t.app).toResolvedValue(
      (surfaces, { count }, reporter, sendNotFound) =>
        createApp(createRouting(surfaces, count, sendNotFound), reporter),
      [t.surfaces, t.callCounter, t.reporter, notFound],
    );
    bind(t.listener).toResolvedValue(
      (app, surfaces, { count }, reporter) => createShortcut({ surfaces, count, reporter }, app.callback()),
      [t.app, t.surfaces, t.callCounter, t.reporter],
    );
  });

function allOf(...checks: Readiness['checks'][]): Readiness['checks'] {
  return Object.assign({}, ...checks);
}

/** The APIs in the OpenAPI document. The license API is the last surface, but comes first there. */
const documented = surfaces.flatMap(({ url, documented: routes }) => (routes ? [{ url, routes }] : [])).toReversed();

/** Makes a surface for the paths of one that this process does not serve. All its calls fail with `not_found`. */
function closedSurface({ owns, envelope, url }: ServedSurface) {
  return (config: Config, clientAddress: ClientAddress): Surface => ({
    name: 'closed',
    owns,
    envelope,
    headers: transportHeaders(config[url], config.HSTS_INCLUDE_SUBDOMAINS),
    endpoints: [],
    quotaOf: perAddress('pages', clientAddress, config.RATE_LIMIT_PAGES),
  });
}
