import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { openRedisRateLimiter } from '../../../adapters/limits/redis.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { type OpenService, openService } from '../../../apps/server/open-service.ts';
import { compose } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { until } from '../../support/eventually.ts';
import { noRedisProcess } from '../../support/redis-process.ts';
import { masterPassword, type Sentinels, sentinelPassword, startSentinels } from '../../support/redis-sentinels.ts';
import { needing } from '../../support/required-service.ts';
import { makeLog, outageLine } from './limiter-acts.ts';

needing(noRedisProcess()).describe('rate limits in a Redis behind sentinels', () => {
  let sentinels: Sentinels;
  before(async () => {
    sentinels = await startSentinels({ replicas: 1 });
  });
  after(() => sentinels?.stop());

  for (const [what, change, reason] of [
    [
      'the sentinels know no such master',
      (url: string) => url.replace('/limits', '/others'),
      /do not know a master of this name/,
    ],
    ['the sentinels want another password', (url: string) => url.replace(sentinelPassword, 'wrong-one'), /WRONGPASS/],
    ['the master wants another password', (url: string) => url.replace(masterPassword, 'wrong-one'), /^WRONGPASS /],
    [
      'no sentinel can be reached',
      () => 'redis+sentinel://127.0.0.1:1/limits',
      /127\.0\.0\.1:1 because .*ECONNREFUSED|closed/,
    ],
  ] as const) {
    it(`are counted in memory, and the log gives the reason, if ${what}`, async () => {
      const log = makeLog();
      const clock = createManualClock(0);
      const fallback = createMemoryRateLimiter(clock);
      const limiter = await openRedisRateLimiter({ url: change(sentinels.url), clock, fallback, log });
      try {
        expect(limiter.state()).to.equal('down');
        expect(log.lines).to.deep.equal([outageLine]);
        expect(log.reasons[0]).to.have.property('reason').that.matches(reason);
        expect(JSON.stringify(log.reasons)).to.not.match(/wrong-one|-secret/);
      } finally {
        await limiter.close();
      }
    });
  }

  it('are counted by each process separately until a replica replaces a killed master, and no verification fails', async () => {
    const settings = {
      LOG_LEVEL: 'silent',
      DATABASE_URL: 'memory:',
      FILES_URL: 'temporary:',
      PORT: '0',
      TRUSTED_PROXIES: 'loopback',
      RATE_LIMIT_URL: sentinels.url,
      RATE_LIMIT_STATUS: '10',
      RATE_LIMIT_VERIFY: '1000000',
    };
    const services = [
      await openService(readConfig(settings), compose),
      await openService(readConfig(settings), compose),
    ] as const;
    try {
      const call = async ({ port }: OpenService, path: string, address: string) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Forwarded-For': address } })).status;
      /** Makes six calls to each service. Returns how many each allowed. */
      const allowed = async (address: string) => {
        const calls = services.flatMap((service) => Array.from({ length: 6 }, () => call(service, '/status', address)));
        return (await Promise.all(calls)).filter((status) => status === 422).length;
      };
      const shared = async () =>
        Promise.all(
          services.map(
            async ({ parts }) =>
              /^latchkey_rate_limiter_shared (\d)$/m.exec(await (await parts.get(t.registry)).metrics())?.[1],
          ),
        );
      expect(await shared()).to.deep.equal(['1', '1']);
      expect(await allowed('192.0.2.1')).to.equal(10);

      const verdicts = new Map<number, number>();
      let isOver = false;
      const verifying = services.map(async (service) => {
        while (!isOver) {
          const status = await call(
            service,
            '/verify?license_key=LIC-0000-0000-0000-0000&domain=a.example',
            '192.0.2.9',
          );
          verdicts.set(status, (verdicts.get(status) ?? 0) + 1);
        }
      });
      await sentinels.master.kill();
      await until(async () => (await shared()).join() === '0,0');
      expect(await allowed('192.0.2.2'), 'each process counts separately').to.equal(12);

      await until(async () => (await shared()).join() === '1,1');
      expect(await allowed('192.0.2.3'), 'both processes count together').to.equal(10);
      isOver = true;
      await Promise.all(verifying);
      expect([...verdicts.keys()]).to.deep.equal([404]);
    } finally {
      await Promise.all(services.map((service) => service.close(0)));
    }
  });
});
