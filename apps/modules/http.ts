import { ContainerModule } from 'inversify';
import compose from 'koa-compose';
import { createApp } from '../../adapters/http/app.ts';
import { createClientAddress } from '../../adapters/http/client-address.ts';
import { createHttpMetrics } from '../../adapters/http/metrics.ts';
import { createHealth } from '../../adapters/http/operations.ts';
import { closedSurface } from '../../adapters/http/surface.ts';
import type { Config } from '../config.ts';
import { createLifecycle } from '../lifecycle.ts';
import { t } from '../tokens.ts';

/** The HTTP service, with the surfaces that it is to have: nothing of the other is made. */
export const http = (surface: Config['SURFACE']) =>
  new ContainerModule(({ bind }) => {
    bind(t.lifecycle).toResolvedValue(createLifecycle);
    bind(t.metrics).toResolvedValue(createHttpMetrics);
    bind(t.clientAddress).toResolvedValue((config) => createClientAddress(config.TRUSTED_PROXIES), [t.config]);
    bind(t.noChecks).toConstantValue({});
    bind(t.closedLicense).toConstantValue(closedSurface('license'));
    bind(t.closedAccount).toConstantValue(closedSurface('account'));
    bind(t.app).toResolvedValue(
      (log, metrics, checks, fileChecks, { accepts }, license, account, site) => {
        const health = compose([createHealth({ checks: { ...checks, ...fileChecks }, accepts }), license]);
        return createApp({
          surfaceOf(path) {
            if (/^\/health\//.test(path)) return health;
            if (/^\/(?:marketplace|media|files|docs|openapi\.json)(?:\/|$)/.test(path)) return site;
            return /^\/api(?:\/|$)/i.test(path) && !/^\/api\/license(?:\/|$)/i.test(path) ? account : license;
          },
          log,
          metrics,
        });
      },
      [
        t.log,
        t.metrics,
        t.checks,
        surface === 'license' ? t.noChecks : t.fileChecks,
        t.lifecycle,
        surface === 'account' ? t.closedLicense : t.licenseSurface,
        surface === 'license' ? t.closedAccount : t.accountSurface,
        surface === 'license' ? t.closedAccount : t.site,
      ],
    );
  });
