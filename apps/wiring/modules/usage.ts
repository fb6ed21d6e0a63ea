import { ContainerModule } from 'inversify';
import { createAccountUsage } from '../../../core/accounts/usage.ts';
import { createUsageMeter } from '../../../core/accounts/usage-meter.ts';
import { keepSaving } from '../keep-saving.ts';
import { t } from '../tokens.ts';

/** The calls of accounts: counted in memory, kept in the database. */
export const usage = new ContainerModule(({ bind }) => {
  bind(t.usageMeter)
    .toResolvedValue(
      (log, clock, logger) => keepSaving(createUsageMeter(log, clock), logger),
      [t.usageLog, t.clock, t.log],
    )
    .onDeactivation((meter) => meter.close());
  bind(t.accountUsage).toResolvedValue(
    (config, limiter, log, clock) =>
      createAccountUsage(config.RATE_LIMIT_URL.kind === 'off' ? undefined : limiter, log, clock),
    [t.config, t.rateLimiter, t.usageLog, t.clock],
  );
});
