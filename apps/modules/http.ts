import { ContainerModule } from 'inversify';
import compose from 'koa-compose';
import { createApp } from '../../adapters/http/app.ts';
import { createClientAddress } from '../../adapters/http/client-address.ts';
import { createReporter } from '../../adapters/http/exchange.ts';
import { createHealth, type Readiness } from '../../adapters/http/operations.ts';
import { closedSurface } from '../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import { createLifecycle } from '../lifecycle.ts';
import { t } from '../tokens.ts';

/** The HTTP service, with the surfaces that it is to have: nothing of the other is made. */
export const http = (surface: Config['SURFACE']) =>
  new ContainerModule(({ bind }) => {
    bind(t.lifecycle).toResolvedValue(createLifecycle);
    bind(t.clientAddress).toResolvedValue((config) => createClientAddress(config.TRUSTED_PROXIES), [t.config]);
    bind(t.noChecks).toConstantValue({});
    bind(t.closedLicense).toConstantValue(closedSurface('license'));
    bind(t.closedAccount).toConstantValue(closedSurface('account'));
    bind(t.reporter).toResolvedValue(
      (log, metrics, tracing) =>
        createReporter(log, {
          observe(exchange, seconds) {
            metrics.observe(exchange, seconds);
            tracing.request(exchange, seconds);
          },
        }),
      [t.log, t.metrics, t.tracing],
    );
    bind(t.app).toResolvedValue(
      (reporter, checks, fileChecks, limiter, { accepts }, license, account, site) => {
        const health = compose([
          createHealth({ checks: { ...checks, ...fileChecks }, dispensable: redisCheck(limiter), accepts }),
          license,
        ]);
        return createApp((path) => {
          if (/^\/health\//.test(path)) return health;
          if (/^\/(?:marketplace|media|files|docs|openapi\.json)(?:\/|$)/.test(path)) return site;
          return /^\/api(?:\/|$)/i.test(path) && !/^\/api\/license(?:\/|$)/i.test(path) ? account : license;
        }, reporter);
      },
      [
        t.reporter,
        t.checks,
        surface === 'license' ? t.noChecks : t.fileChecks,
        t.rateLimiter,
        t.lifecycle,
        surface === 'account' ? t.closedLicense : t.licenseSurface,
        surface === 'license' ? t.closedAccount : t.accountSurface,
        surface === 'license' ? t.closedAccount : t.site,
      ],
    );
    bind(t.noShortcut).toConstantValue((otherwise) => otherwise);
    bind(t.listener).toResolvedValue(
      (app, shortcut) => shortcut(app.callback()),
      [t.app, surface === 'account' ? t.noShortcut : t.shortcut],
    );
  });

/** Whether Redis counts the calls, where it should; without it, each process counts for itself. */
function redisCheck({ state }: { readonly state?: () => 'up' | 'down' }): Readiness['checks'] {
  if (state === undefined) return {};
  return {
    redis: async () => {
      if (state() === 'down') throw new Error('Redis is out.');
    },
  };
}
