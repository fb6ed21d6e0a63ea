import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import {
  openRedisRateLimiter,
  type RedisRateLimiter,
  type RedisRateLimiterOptions,
} from '../../../adapters/limits/redis.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { toUserId } from '../../../core/id.ts';
import { accountSubject, addressSubject, type RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { until } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { makeNamespace, noFallback } from '../../support/rate-limiters.ts';
import { makeRedisProcess, noRedisProcess, type RedisProcess, redisServer } from '../../support/redis-process.ts';
import { needing } from '../../support/required-service.ts';
import { burst, makeLog, outageLine, recoveryLine } from './limiter-acts.ts';

const start = Date.UTC(2026, 10, 20);
const minute = { limit: 40, seconds: 60 };
const day = { limit: 70, seconds: 86_400 };

const opened: RedisRateLimiter[] = [];
/** Opens a limiter and closes it after the test. */
async function open(options: Omit<RedisRateLimiterOptions, 'clock'> & Partial<RedisRateLimiterOptions>) {
  const limiter = await openRedisRateLimiter({ clock: createManualClock(start), ...options });
  opened.push(limiter);
  return limiter;
}
afterEach(() => Promise.all(opened.splice(0).map((limiter) => limiter.close())));

/** Returns how many of `ada`'s calls the limiter has counted. */
async function counted(limiter: RateLimiter): Promise<number> {
  const { windows } = await limiter.count('ada', [day], { peek: true });
  return day.limit - (windows[0]?.remaining ?? 0);
}

const awkward = ['', '}', '{}', '}x{', 'a{b}c', '\ud800', 'é'.repeat(2000)];

needing(redisServer.skip).describe('redis rate limiter', () => {
  let space: ReturnType<typeof makeNamespace>;
  const own = () => ({ url: redisServer.url ?? '', namespace: space.namespace, fallback: noFallback, timeout: 10_000 });

  before(() => {
    space = makeNamespace();
  });
  afterEach(async () => {
    const keys = await space.keys();
    if (keys.length > 0) await space.client.unlink(...keys);
  });
  after(() => space?.remove());

  it('allows several processes together exactly the limits of both windows', async () => {
    const limiters = await Promise.all([open(own()), open(own()), open(own())]);
    const passed = await Promise.all(limiters.map((limiter) => burst(50, limiter, minute, day)));
    expect(passed.reduce((sum, one) => sum + one)).to.equal(40);
    const rest = await Promise.all(limiters.map((limiter) => burst(50, limiter, day)));
    expect(rest.reduce((sum, one) => sum + one)).to.equal(30);
  });

  it('uses the time of the caller, even if other processes have another clock', async () => {
    const ahead = createManualClock(start + 40_000);
    const behind = createManualClock(start);
    const [left, right] = [await open({ ...own(), clock: ahead }), await open({ ...own(), clock: behind })];
    expect(await burst(50, left, minute)).to.equal(40);
    const resetAt = start + 60_000; // At most one window later, by the caller's clock.
    expect(await right.count('ada', [minute])).to.deep.equal({
      allowed: false,
      windows: [{ ...minute, remaining: 0, resetAt }],
    });
    behind.set(resetAt);
    expect(await burst(50, right, minute)).to.equal(40);
  });

  it('counts each call of a turn in Redis, however many they are', async () => {
    const limiter = await open(own());
    expect(await burst(30_000, limiter, minute, day)).to.equal(40);
    expect(limiter.state()).to.equal('up');
  });

  it('separates different namespaces', async () => {
    await burst(40, await open(own()), minute);
    const other = await open({ ...own(), namespace: `${space.namespace}:other` });
    expect(await burst(50, other, minute)).to.equal(40);
  });

  it('uses one hash tag for all windows of a subject, for any subject', async () => {
    const limiter = await open(own());
    await limiter.count('license:verify:2001:db8::/64', [minute, day]);
    const named = (seconds: number) => `${space.namespace}:{license:verify:2001:db8::/64}:${seconds}`;
    expect((await space.keys()).filter((key) => !key.endsWith(':1'))).to.deep.equal([named(60), named(86_400)]);

    for (const subject of awkward) await limiter.count(subject, [minute, day]);
    const keys = (await space.keys()).filter((key) => !key.endsWith(':1'));
    expect(keys).to.have.lengthOf(16);
    for (const key of keys) {
      expect(key).to.match(/^[\w-]+:\{[^{}]+\}:\d+$/);
      expect(key.length).to.be.below(200);
    }
  });

  it('sets an expiry on every key: a little after the end of its window, measured from the first call', async () => {
    const clock = createManualClock(start);
    const limiter = await open({ ...own(), clock });
    const ttlOf = (seconds: number) => space.client.pttl(`${space.namespace}:{ada}:${seconds}`);
    for (let round = 0; round < 3; round++) {
      await limiter.count('ada', [minute, day]);
      await limiter.count('bob', [{ limit: 0, seconds: 60 }]);
      await limiter.count('eve', [minute], { peek: true });
      clock.advance(59_000);
    }
    const keys = await space.keys();
    expect(keys.filter((key) => !key.includes('{ada}') && !key.includes('{+'))).to.deep.equal([]);
    for (const key of keys) expect(await space.client.pttl(key), key).to.be.above(0);
    expect(await ttlOf(60)).to.be.within(60_000, 70_000);
    expect(await ttlOf(86_400)).to.be.within(86_400_000 - 60_000, 86_410_000);

    // A day has passed for the caller, but no time for Redis: the old key is used again with a new end.
    clock.advance(86_400_000);
    await space.client.pexpire(`${space.namespace}:{ada}:86400`, 5_000);
    expect((await limiter.count('ada', [day])).windows[0]?.remaining).to.equal(69);
    expect(await ttlOf(86_400)).to.be.within(86_400_000, 86_410_000);
  });

  it('keeps the day window of an address longer with each call, and that of an account until its end', async () => {
    const limiter = await open(own());
    const thousand = { limit: 1_000, seconds: 86_400 };
    const [address, account] = [addressSubject('203.0.113.1'), accountSubject(toUserId(1))];
    const ttlOf = (subject: string) => space.client.pttl(`${space.namespace}:{${subject}}:86400`);
    for (const subject of [address, account]) await limiter.count(subject, [minute, thousand]);
    expect(await ttlOf(address)).to.be.within(60_000, 96_400);
    expect(await ttlOf(account)).to.be.within(86_400_000, 86_410_000);
    for (let calls = 1; calls < 30; calls++) await limiter.count(address, [minute, thousand]);
    expect(await ttlOf(address)).to.be.within(30 * 86_400 - 60_000, 30 * 86_400 + 10_000);
    for (let calls = 30; calls < 1_000; calls++) await limiter.count(address, [thousand]);
    expect(await limiter.count(address, [thousand])).to.deep.equal({
      allowed: false,
      windows: [{ ...thousand, remaining: 0, resetAt: start + 86_400_000 }],
    });
    expect(await ttlOf(address)).to.be.within(86_400_000 - 60_000, 86_410_000);
  });
});

needing(noRedisProcess()).describe('redis rate limiter with a Redis of its own', () => {
  let redis: RedisProcess;
  let admin: Redis;
  const warnings: string[] = [];
  const warn = ({ message }: Error) => void warnings.push(message);

  before(async () => {
    redis = await makeRedisProcess('--requirepass', 'secret');
    process.on('warning', warn);
  });
  beforeEach(async () => {
    await redis.start();
    admin = new Redis(url(), { retryStrategy: () => null });
    admin.on('error', () => undefined);
  });
  afterEach(async () => {
    admin?.disconnect();
    await redis?.kill();
  });
  after(async () => {
    process.off('warning', warn);
    await redis?.remove();
    expect(warnings).to.deep.equal([]);
  });
  const url = () => redis.url.replace('//', '//:secret@');

  async function openHere() {
    const log = makeLog();
    const clock = createManualClock(start);
    const fallback = createMemoryRateLimiter(clock);
    const limiter = await open({ url: url(), clock, fallback, log, timeout: 250 });
    expect(limiter.state()).to.equal('up');
    return { limiter, fallback, log };
  }

  it('sends one command to Redis for all calls of a turn', async () => {
    const { limiter } = await openHere();
    await admin.config('RESETSTAT');
    await burst(5, limiter, minute, day);
    await limiter.count('ada', [day], { peek: true });
    await limiter.count('ada', [{ limit: 0, seconds: 60 }]);
    const stats = (await admin.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
    const withinScript = ['hmget', 'hset', 'hincrby', 'pexpire'];
    const sent = Array.from(stats, ([, command = '', calls]) => [command, calls]).filter(
      ([command = '']) => !withinScript.includes(command) && command !== 'config|resetstat',
    );
    expect(sent).to.deep.equal([['evalsha', '3']]);
  });

  it('counts in memory from the moment Redis is killed, and in Redis again when it is back', async () => {
    const { limiter, fallback, log } = await openHere();
    expect(await burst(30, limiter, minute, day)).to.equal(30);
    expect(await counted(fallback)).to.equal(0);

    await redis.kill();
    expect(await burst(25, limiter, minute, day)).to.equal(25);
    expect(await burst(25, limiter, minute, day), 'the same limit applies in memory').to.equal(15);
    expect(await counted(fallback)).to.equal(40);
    expect(limiter.state()).to.equal('down');
    expect(log.lines).to.deep.equal([outageLine]);

    await redis.start();
    await until(() => limiter.state() === 'up');
    expect(log.lines).to.deep.equal([outageLine, recoveryLine]);
    expect(await burst(50, limiter, minute), 'counts from memory are not transferred').to.equal(40);
    expect(await counted(fallback)).to.equal(40);
  });

  it('answers every call in flight when Redis is killed', async () => {
    const { limiter, log } = await openHere();
    const calls = Array.from({ length: 20 }, () => limiter.count('ada', [minute]));
    await redis.kill();
    calls.push(...Array.from({ length: 20 }, () => limiter.count('ada', [minute])));
    expect(await Promise.all(calls)).to.have.lengthOf(40);
    expect(log.lines).to.deep.equal([outageLine]);
  });

  it('does not wait while Redis hangs, and continues its windows afterwards', async () => {
    const { limiter, fallback, log } = await openHere();
    await burst(10, limiter, minute, day);
    redis.signal('SIGSTOP');
    expect(await burst(10, limiter, minute, day)).to.equal(10);
    await until(async () => {
      await limiter.count('eve', [day], { peek: true });
      return limiter.state() === 'down';
    });
    const before = await counted(fallback);
    expect(await burst(10, limiter, minute, day)).to.equal(10);
    expect(await counted(fallback)).to.equal(before + 10);
    expect(log.lines).to.deep.equal([outageLine]);
    expect(log.reasons).to.deep.equal([{ reason: 'no answer within 250 ms' }]);

    redis.signal('SIGCONT');
    await until(() => limiter.state() === 'up');
    expect(await counted(limiter), 'calls that were sent may have been counted, other calls were not').to.be.within(
      10,
      20,
    );
    expect(log.lines).to.deep.equal([outageLine, recoveryLine]);
  });

  for (const [trouble, begin, end, reason] of [
    ['is a replica', ['replicaof', '127.0.0.1', '1'], ['replicaof', 'no', 'one'], /^READONLY /],
    ['is full', ['config', 'set', 'maxmemory', '1'], ['config', 'set', 'maxmemory', '0'], /^OOM /],
  ] as const) {
    it(`counts in memory while Redis ${trouble}, and does not log each attempt`, async () => {
      const { limiter, fallback, log } = await openHere();
      const connections = async () => Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1]);
      const set = ([command, ...args]: readonly [string, ...string[]]) => admin.call(command, ...args);
      await set(begin);
      expect(await burst(10, limiter, minute, day)).to.equal(10);
      expect(await counted(fallback)).to.equal(10);
      const tried = (await connections()) + 3;
      await until(async () => (await connections()) >= tried);
      expect(log.lines).to.deep.equal([outageLine]);
      expect(log.reasons[0]).to.have.property('reason').that.matches(reason);

      await set(end);
      await until(() => limiter.state() === 'up');
      expect(log.lines).to.deep.equal([outageLine, recoveryLine]);
      expect(await counted(limiter)).to.equal(0);
    });
  }

  it('continues if Redis forgets the script or cuts the connection', async () => {
    const { limiter, fallback, log } = await openHere();
    await admin.script('FLUSH');
    expect(await burst(10, limiter, day)).to.equal(10);
    expect(await counted(limiter)).to.equal(10);
    expect(log.lines).to.deep.equal([]);

    await admin.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await until(() => log.lines.length === 2);
    expect(log.lines).to.deep.equal([outageLine, recoveryLine]);
    expect(await counted(limiter)).to.equal(10);
    expect(await counted(fallback)).to.equal(0);
  });

  it('logs a wrong password as the reason, but not the password itself', async () => {
    const log = makeLog();
    const wrong = url().replace('secret', 'wrong-one');
    const limiter = await open({ url: wrong, fallback: createMemoryRateLimiter(createManualClock(start)), log });
    expect(limiter.state()).to.equal('down');
    expect(await burst(50, limiter, minute)).to.equal(40);
    expect(log.lines).to.deep.equal([outageLine]);
    expect(log.reasons[0])
      .to.have.property('reason')
      .that.matches(/^WRONGPASS /);
    expect(JSON.stringify(log.reasons)).not.to.include('wrong-one');

    await admin.config('SET', 'requirepass', 'wrong-one');
    await until(() => limiter.state() === 'up');
  });

  it('closes in every state, and counts later calls in memory', async () => {
    const { limiter, fallback, log } = await openHere();
    const underWay = limiter.count('ada', [day]);
    await Promise.all([limiter.close(), limiter.close()]);
    await underWay;
    await limiter.close();
    expect((await limiter.count('ada', [day])).allowed).to.equal(true);
    expect(await counted(fallback)).to.be.at.least(1);
    expect(limiter.state()).to.equal('down');

    const standing = await openHere();
    redis.signal('SIGSTOP');
    const late = standing.limiter.count('ada', [day]);
    await standing.limiter.close();
    await late;

    redis.signal('SIGCONT');
    const killed = await openHere();
    await redis.kill();
    await until(() => killed.limiter.state() === 'down');
    await killed.limiter.close();
    expect([...log.lines, ...standing.log.lines, ...killed.log.lines]).to.deep.equal([outageLine]);
  });
});

needing(noRedisProcess()).describe('redis rate limiter, on a node of a cluster', () => {
  let redis: RedisProcess;

  before(async () => {
    redis = await makeRedisProcess('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
    await redis.start();
  });
  after(() => redis?.remove());

  it('counts all windows of a subject in one slot, for any subject', async () => {
    const limiter = await open({ url: redis.url, fallback: noFallback, timeout: 10_000 });
    const admin = new Redis(redis.url);
    await admin.call('cluster', 'addslotsrange', '0', '16383');
    await admin.quit();
    await until(() => limiter.state() === 'up');
    for (const subject of ['ada', ...awkward]) {
      const { windows } = await limiter.count(subject, [minute, day]);
      expect(windows.map(({ remaining }) => remaining)).to.deep.equal([39, 69]);
    }
  });

  it('logs which setting is missing if the cluster has no address for the node', async () => {
    const log = makeLog();
    const url = redis.url.replace('redis:', 'redis+cluster:');
    const limiter = await open({ url, fallback: createMemoryRateLimiter(createManualClock(start)), log });
    expect(limiter.state()).to.equal('down');
    expect(log.reasons[0]).to.have.property('reason').that.includes('set cluster-announce-ip');
  });
});

describe('redis rate limiter without Redis', () => {
  const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
  afterEach(async () => {
    for (const { server, sockets } of servers.splice(0)) {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    }
  });

  /** Starts a server that always sends the same text. */
  async function serverThatSays(text: string): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('data', () => text !== '' && socket.write(text));
    }).listen(0, '127.0.0.1');
    servers.push({ server, sockets });
    await once(server, 'listening');
    const address = server.address();
    return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  for (const [what, url, reason] of [
    ['nobody listens', async () => `redis://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
    ['nobody listens on any address of the host', async () => `redis://localhost:${await freePort()}`, /ECONNREFUSED/],
    ['the host name does not exist', async () => 'redis://redis.invalid', /./],
    ['the server never answers', () => serverThatSays(''), /didn't receive any in 200ms/],
    [
      'the server is still loading',
      () => serverThatSays('-LOADING Redis is loading the dataset in memory\r\n'),
      /^LOADING /,
    ],
    ['the server speaks HTTP', () => serverThatSays('HTTP/1.1 400 Bad Request\r\n\r\n'), /./],
  ] as const) {
    it(`opens and counts in memory if ${what}`, async () => {
      const log = makeLog();
      const fallback = createMemoryRateLimiter(createManualClock(start));
      const limiter = await open({ url: await url(), fallback, log, timeout: 50 });
      expect(limiter.state()).to.equal('down');
      expect(await burst(50, limiter, minute, day)).to.equal(40);
      expect(await counted(fallback)).to.equal(40);
      expect(log.lines).to.deep.equal([outageLine]);
      expect(log.reasons[0]).to.have.property('reason').that.matches(reason);
    });
  }

  it('refuses an invalid address', async () => {
    const fallback = noFallback;
    const error = await open({ url: 'redis://127.0.0.1:99999', fallback }).catch((thrown: unknown) => thrown);
    expect(error).to.be.an.instanceOf(TypeError);
  });
});
