import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { openRedisRateLimiter, type RedisRateLimiter } from '../../../adapters/limits/redis.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { until } from '../../support/eventually.ts';
import { clusterPassword, type RedisCluster, startRedisCluster } from '../../support/redis-cluster.ts';
import { noRedisProcess } from '../../support/redis-process.ts';
import { needing } from '../../support/required-service.ts';
import { burst, makeLog, outageLine, recoveryLine } from './limiter-acts.ts';

const start = Date.UTC(2026, 10, 20);
const minute = { limit: 40, seconds: 60 };
const day = { limit: 70, seconds: 86_400 };
const isOfCluster =
  'warn redis is a node of a cluster: write redis+cluster:// in RATE_LIMIT_URL; until then rate limits are counted in memory';

needing(noRedisProcess()).describe('rate limits in a Redis cluster', () => {
  let cluster: RedisCluster;
  let namespaces = 0;
  const opened: RedisRateLimiter[] = [];
  before(async () => {
    cluster = await startRedisCluster();
  });
  beforeEach(() => {
    namespaces++;
  });
  afterEach(() => Promise.all(opened.splice(0).map((limiter) => limiter.close())));
  after(() => cluster?.stop());

  async function open(url = cluster.url, timeout = 1_000) {
    const log = makeLog();
    const clock = createManualClock(start);
    const fallback = createMemoryRateLimiter(clock);
    const limiter = await openRedisRateLimiter({ url, clock, fallback, log, timeout, namespace: `test-${namespaces}` });
    opened.push(limiter);
    return { limiter, fallback, log };
  }
  /** One name for each node: its key is in a slot of that node. */
  const subjects = ['b', 'c', 'a'] as const;

  it('are shared by all processes on every node', async () => {
    const [one, other] = [await open(), await open(cluster.url.replace(/,.*/, ''))];
    expect([one.limiter.state(), other.limiter.state()]).to.deep.equal(['up', 'up']);
    for (const subject of subjects) {
      const answers = await Promise.all(
        [one, other].flatMap(({ limiter }) => Array.from({ length: 40 }, () => limiter.count(subject, [minute, day]))),
      );
      expect(
        answers.filter(({ allowed }) => allowed),
        subject,
      ).to.have.length(40);
    }
    expect([...one.log.lines, ...other.log.lines]).to.deep.equal([]);
  });

  it('are counted in memory for all subjects while one node is down, and shared again when it is back', async () => {
    const { limiter, fallback, log } = await open(cluster.url, 250);
    const last = cluster.nodes[2];
    await last?.kill();
    await until(() => limiter.state() === 'down');
    for (const subject of subjects) expect((await limiter.count(subject, [minute])).allowed).to.equal(true);
    for (const subject of subjects) {
      const { windows } = await fallback.count(subject, [minute], { peek: true });
      expect(windows[0]?.remaining).to.equal(39);
    }
    expect(log.lines).to.deep.equal([outageLine]);

    await last?.start();
    await cluster.whole();
    await until(() => limiter.state() === 'up');
    expect(log.lines).to.deep.equal([outageLine, recoveryLine]);
    expect(await burst(50, limiter, minute)).to.equal(40);
  });

  it('do not wait for a node that hangs', async () => {
    const { limiter, log } = await open(cluster.url, 250);
    const [, second] = cluster.nodes;
    second?.signal('SIGSTOP');
    try {
      await until(async () => {
        for (const subject of subjects) await limiter.count(subject, [minute], { peek: true });
        return limiter.state() === 'down';
      });
      expect(log.reasons).to.deep.equal([{ reason: 'no answer within 250 ms' }]);
    } finally {
      second?.signal('SIGCONT');
    }
    await cluster.whole();
    await until(() => limiter.state() === 'up');
  });

  it('log in one sentence the correct form of the address if it names only one server', async () => {
    const [first] = cluster.nodes;
    const { limiter, log } = await open(first?.url.replace('//', `//:${clusterPassword}@`));
    expect(limiter.state()).to.equal('down');
    expect(await burst(50, limiter, minute)).to.equal(40);
    expect(log.lines).to.deep.equal([isOfCluster]);
    expect(JSON.stringify(log.reasons)).to.match(/^\[\{"reason":"MOVED /);
  });

  it('log why they cannot be shared, without any password', async () => {
    const server = process.env.TEST_REDIS_URL ?? '';
    for (const [url, reason] of [
      [cluster.url.replace(clusterPassword, 'wrong-one'), /^WRONGPASS /],
      ['redis+cluster://127.0.0.1:1', /^127\.0\.0\.1:1 cannot be reached$/],
      [server.replace(/^redis:/, 'redis+cluster:'), /cluster support disabled/],
    ] as const) {
      const { limiter, log } = await open(url);
      expect(limiter.state()).to.equal('down');
      expect(log.lines, url).to.deep.equal([outageLine]);
      expect(log.reasons[0], url).to.have.property('reason').that.matches(reason);
      expect(JSON.stringify(log.reasons)).to.not.include('wrong-one');
    }
  });
});
