import { expect } from 'chai';
import type { IdempotencyStore } from '../../../adapters/contracts/idempotency-store.ts';
import { createIdempotency } from '../../../adapters/http/idempotency.ts';
import type { Context } from '../../../adapters/http/state.ts';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import type { Caller } from '../../../core/accounts/accounts.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { event, type KeyedRequest } from '../../../core/events/event.ts';
import { toUserId } from '../../../core/id.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import { refuse } from '../../../core/refusal.ts';
import { Repeatable, Unavailable } from '../../../core/unavailable.ts';
import { openForEach } from '../../support/backends.ts';
import { deferred } from '../../support/deferred.ts';
import { until } from '../../support/eventually.ts';
import { formOf, listingForm } from '../../support/forms.ts';
import type { Answer } from '../../support/http-client.ts';
import { inMemory } from '../../support/in-memory.ts';
import { itLong } from '../../support/required-service.ts';
import { pngOf } from '../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';

const day = 86_400_000;
const publishPath = '/api/marketplace/publish';
const uploadPath = '/api/marketplace/upload';
const registerPath = '/api/deploy/register';
const key = (value: string) => ({ 'Idempotency-Key': value });
const record = (more: object = {}) => ({
  chain: 'sepolia',
  chain_id: 11155111,
  address: `0x${'5f'.repeat(20)}`,
  tx_hash: `0x${'a1'.repeat(32)}`,
  ...more,
});

const operations: Record<
  string,
  (account: Account, headers: Record<string, string>, other?: boolean) => Promise<Answer>
> = {
  [publishPath]: (account, headers, other) =>
    account.submit(publishPath, listingForm(other ? { title: 'Other' } : {}), headers),
  [uploadPath]: (account, headers, other) =>
    account.submit(uploadPath, formOf({ file: pngOf(other ? 2 : 1) }), headers),
  [registerPath]: (account, headers, other) =>
    account.post(registerPath, record(other ? { chain: 'other' } : {}), headers),
};

describe('Idempotency-Key', () => {
  let service: AccountService;
  let account: Account;
  beforeEach(async () => {
    service = await startAccountService();
    account = await service.account();
  });
  afterEach(() => service.close());

  /** Counts everything that a repeated request could create twice. */
  const done = async () => {
    const rows = await Promise.all(['products', 'uploads', 'deployments'].map(service.rows));
    return [...rows.map(({ length }) => length), (await service.files()).length];
  };

  for (const [path, call] of Object.entries(operations)) {
    describe(`on ${path}`, () => {
      itLong('returns the same answer to the same request, and does nothing again', async () => {
        const first = await call(account, key('a'));
        const after = await done();
        service.clock.advance(1000);
        for (let again = 0; again < 3; again++) {
          const replayed = await call(account, key('a'));
          expect(replayed.status).to.equal(200);
          expect(replayed.text).to.equal(first.text);
          expect(replayed.headers.get('idempotency-replayed')).to.equal('true');
        }
        expect(first.status).to.equal(200);
        expect(first.headers.get('idempotency-replayed')).to.equal(null);
        expect(await done()).to.deep.equal(after);
      });

      itLong('422 for another request with the same key, which does nothing', async () => {
        const first = await call(account, key('a'));
        const after = await done();
        const other = await call(account, key('a'), true);
        expect(other.status).to.equal(422);
        expect(other.body.error.code).to.equal('VALIDATION_ERROR');
        expect(other.body.error.fields).to.have.all.keys('Idempotency-Key');
        expect(await done()).to.deep.equal(after);
        expect((await call(account, key('a'))).text).to.equal(first.text);
      });

      it('belongs to one user and one mode: others may use the same key', async () => {
        const test = await service.keyOf(account.user, { mode: 'test' });
        const others = [await service.account(), test];
        await call(account, key('a'));
        for (const other of others) {
          const answer = await call(other, key('a'), true);
          expect(answer.status).to.equal(200);
          expect(answer.headers.get('idempotency-replayed')).to.equal(null);
        }
        expect(await service.rows('idempotency')).to.have.length(3);
      });

      itLong('belongs to the user, not to the API key: another live key of the user gets the same answer', async () => {
        const second = await service.keyOf(account.user);
        const first = await call(account, key('a'));
        expect((await call(second, key('a'))).text).to.equal(first.text);
      });

      itLong('is forgotten after 24 hours', async () => {
        const first = await call(account, key('a'));
        service.clock.advance(day);
        expect((await call(account, key('a'))).headers.get('idempotency-replayed')).to.equal('true');
        service.clock.advance(1);
        const fresh = await call(account, key('a'), true);
        expect(fresh.status).to.equal(200);
        expect(fresh.headers.get('idempotency-replayed')).to.equal(null);
        if (path !== registerPath) expect(fresh.text).to.not.equal(first.text);
        expect(await service.rows('idempotency')).to.have.length(1);
      });

      itLong('422 for a key of more than 255 characters, which does nothing', async () => {
        const before = await done();
        const answer = await call(account, key('x'.repeat(256)));
        expect(answer.status).to.equal(422);
        expect(answer.body.error.fields).to.deep.equal({ 'Idempotency-Key': ['It may have at most 255 characters.'] });
        expect(await done()).to.deep.equal(before);
        expect((await call(account, key('x'.repeat(255)))).status).to.equal(200);
      });

      itLong('is not stored if it is missing or empty: each such request is a new one', async () => {
        const answers = [await call(account, {}), await call(account, {}), await call(account, key(''))];
        for (const { status, headers } of answers) {
          expect(status).to.equal(200);
          expect(headers.get('idempotency-replayed')).to.equal(null);
        }
        expect(await service.rows('idempotency')).to.have.length(0);
      });

      itLong('does the work once for concurrent requests: the others get 409 or the same answer', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => call(account, key('a'))));
        const fine = answers.filter(({ status }) => status === 200);
        expect(new Set(fine.map(({ text }) => text)).size).to.equal(1);
        expect(fine.filter(({ headers }) => headers.get('idempotency-replayed') === null)).to.have.length(1);
        for (const { body } of answers.filter(({ status }) => status !== 200)) {
          expect(body.error.code).to.equal('CONFLICT');
        }
        const [products = 0, uploads = 0, deployments = 0] = await done();
        expect(products + uploads + deployments).to.equal(1);
      });
    });
  }

  itLong('409 CONFLICT while the first request is running, and its answer after that', async () => {
    const disk = await service.parts.get(t.disk);
    const { put } = disk;
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const arrived = new Promise<void>((resolve) => {
      disk.put = async (...file) => {
        resolve();
        await gate;
        await put(...file);
      };
    });
    const first = account.submit(publishPath, listingForm(), key('a'));
    await arrived;
    for (const again of [listingForm(), listingForm()]) {
      const answer = await account.submit(publishPath, again, key('a'));
      expect(answer.status).to.equal(409);
      expect(answer.body.error).to.have.all.keys('code', 'message');
      expect(answer.body.error.code).to.equal('CONFLICT');
    }
    const other = await account.submit(publishPath, listingForm({ title: 'Other' }), key('a'));
    expect(other.status).to.equal(422);
    go();
    const { status, text } = await first;
    expect(status).to.equal(200);
    const replayed = await account.submit(publishPath, listingForm(), key('a'));
    expect(replayed.text).to.equal(text);
    expect(await service.rows('products')).to.have.length(1);
    expect(await service.files()).to.have.length(2);
  });

  itLong('is separate for each operation', async () => {
    for (const call of Object.values(operations)) expect((await call(account, key('a'))).status).to.equal(200);
    expect(await done()).to.deep.equal([1, 1, 1, 3]);
  });

  itLong('compares files by content, not by name', async () => {
    const named = (filename: string, bytes = pngOf()) => formOf({ file: { bytes, filename } });
    const first = await account.submit(uploadPath, named('a.png'), key('a'));
    expect((await account.submit(uploadPath, named('b.png'), key('a'))).text).to.equal(first.text);
    expect((await account.submit(uploadPath, named('a.png', pngOf(2)), key('a'))).status).to.equal(422);
  });

  itLong('is not stored for an invalid request: the corrected request may use it', async () => {
    const wrong = await account.submit(publishPath, listingForm({ title: '' }), key('a'));
    expect((await account.submit(publishPath, listingForm({ title: '' }), key('a'))).text).to.equal(wrong.text);
    expect(wrong.status).to.equal(422);
    expect(await service.rows('idempotency')).to.have.length(0);
    const right = await account.submit(publishPath, listingForm(), key('a'));
    expect(right.status).to.equal(200);
    expect(right.headers.get('idempotency-replayed')).to.equal(null);
  });

  itLong('can be used again if the work failed', async () => {
    const disk = await service.parts.get(t.disk);
    const { put } = disk;
    disk.put = async () => {
      throw new Unavailable('The disk is full.');
    };
    expect((await account.submit(publishPath, listingForm(), key('a'))).status).to.equal(503);
    disk.put = put;
    const answer = await account.submit(publishPath, listingForm(), key('a'));
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('idempotency-replayed')).to.equal(null);
    expect(await service.rows('products')).to.have.length(1);
  });

  itLong('is ignored on preflight and on requests that only read', async () => {
    for (const chain_id of [1, 5]) {
      const answer = await account.post('/api/deploy/preflight', { chain_id }, key('a'));
      expect(answer.body.allowed).to.equal(chain_id === 5);
    }
    expect((await account.send('/api/auth/me', { headers: key('x'.repeat(300)) })).status).to.equal(200);
    expect(await service.rows('idempotency')).to.have.length(0);
  });
});

describe('createIdempotency', () => {
  const stores = openForEach(inMemory);
  const caller: Caller = {
    user: { ...plainUser, id: toUserId(1), name: 'Ada', email: 'ada@example.com', tier: 'free', createdAt: 0 },
    mode: 'live',
  };

  function start(
    change: Partial<IdempotencyStore> = {},
    { clock = createManualClock(1_000_000_000), every = 15_000 }: { clock?: ManualClock; every?: number } = {},
  ) {
    const store = { ...stores.idempotency, ...change };
    const warnings: unknown[] = [];
    const log = { warn: (...warning: unknown[]) => void warnings.push(warning) };
    const idempotency = createIdempotency(store, clock, { log, every });
    const set: [string, string][] = [];
    const ctx = { get: () => 'a', set: (...header: [string, string]) => set.push(header) } as unknown as Context;
    let works = 0;
    const run = (result: (request?: KeyedRequest) => Promise<object>, request: object = { a: 1 }) =>
      idempotency(ctx, caller, 'operation', request, (asked) => {
        works++;
        return result(asked);
      });
    return { clock, run, set, warnings, works: () => works };
  }

  it('returns the same refusal again, as it does with an answer', async () => {
    const { run, works, set } = start();
    const refusal = await run(async () => refuse('not_found', 'Not here.'));
    expect(await run(async () => ({ success: true }))).to.deep.equal(refusal);
    expect(refusal).to.deep.equal({ kind: 'refused', reason: 'not_found', detail: 'Not here.' });
    expect(works()).to.equal(1);
    expect(set).to.deep.equal([['Idempotency-Replayed', 'true']]);
  });

  describe('after work that has changed something and then failed', () => {
    let emails = 0;
    /** Adds a user for the request, and fails. */
    const failing = (error: Error) => async (request?: KeyedRequest) => {
      const email = `${emails++}@example.com`;
      await stores.accounts.add({ ...caller.user, email }, event('user.added', email, { actor: 'test', request }, 0));
      throw error;
    };
    const failure = (promise: Promise<object>): Promise<unknown> => promise.catch((error: unknown) => error);

    it('does not do it again: 409 for a day, and no invitation to try again', async () => {
      const { run, works, clock } = start();
      expect(await failure(run(failing(new Unavailable('The database is out.'))))).to.be.instanceOf(OutcomeUnknown);
      for (const minutes of [0, 16, 23 * 60]) {
        clock.advance(minutes * 60_000);
        expect(await failure(run(async () => ({})))).to.include({ reason: 'conflict' });
      }
      expect(works()).to.equal(1);
    });

    it('throws an error that is no outage as it is', async () => {
      const { run } = start();
      const error = new Error('A bug.');
      expect(await failure(run(failing(error)))).to.equal(error);
      expect(await failure(run(async () => ({})))).to.include({ reason: 'conflict' });
    });

    it('does it again if that completes it', async () => {
      const { run } = start();
      const error = new Repeatable('The provider is out.');
      expect(await failure(run(failing(error)))).to.equal(error);
      expect(await run(async () => ({ is: 'done' }))).to.deep.equal({ is: 'done' });
    });

    itLong(
      'makes no change if another request has taken over the key, and says that the same may be tried again',
      async () => {
        const { run, warnings, clock } = start();
        const add = failing(new Error('The change was made.'));
        const outcome = await failure(
          run(async (request) => {
            clock.advance(60_001);
            expect(await run(async () => ({ of: 'the other' }))).to.deep.equal({ of: 'the other' });
            return await add(request);
          }),
        );
        expect(outcome).to.be.instanceOf(Unavailable);
        expect(warnings).to.have.length(1);
        expect(await run(async () => ({}))).to.deep.equal({ of: 'the other' });
      },
    );
  });

  it('takes over the key of a dead process after a minute', async () => {
    const { run, works, clock } = start();
    const never = new Promise<object>(() => undefined);
    void run(() => never);
    const failure = (promise: Promise<object>) =>
      promise.then(
        () => undefined,
        ({ reason }) => reason,
      );
    expect(await failure(run(async () => ({})))).to.equal('conflict');
    clock.advance(60_000);
    expect(await failure(run(async () => ({})))).to.equal('conflict');
    clock.advance(1);
    expect(await run(async () => ({ success: true }))).to.deep.equal({ success: true });
    expect(works()).to.equal(2);
  });

  itLong('holds the key while the work runs, however long that takes', async () => {
    const clock = createManualClock(1_000_000_000);
    const inner = stores.idempotency;
    let renewals = 0;
    const store = {
      ...inner,
      async renew(...args: Parameters<typeof inner.renew>) {
        renewals += 1;
        return await inner.renew(...args);
      },
    };
    const { run, works } = start(store, { clock, every: 1 });
    let finish: (answer: object) => void = () => undefined;
    const first = run(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    for (let minute = 0; minute < 20; minute++) {
      clock.advance(60_000);
      const seen = renewals;
      await until(() => renewals > seen + 1);
    }
    expect(await run(async () => ({})).catch((error) => error)).to.have.property('reason', 'conflict');
    finish({ success: true });
    expect(await first).to.deep.equal({ success: true });
    expect(await run(async () => ({}))).to.deep.equal({ success: true });
    expect(works()).to.equal(1);
  });

  it('holds the key for more than that minute while the store fails', async () => {
    let tries = 0;
    const { run, works, clock } = start({
      keep: async () => {
        tries += 1;
        throw new Unavailable('database');
      },
    });
    await run(async () => ({ success: true })).catch(() => undefined);
    clock.advance(50_000);
    const seen = tries;
    await until(() => tries > seen + 1);
    clock.advance(20_000);
    expect(await run(async () => ({})).catch((error) => error)).to.have.property('reason', 'conflict');
    expect(works()).to.equal(1);
  });

  it('does not do the work again if it was done but its answer could not be stored', async () => {
    const { run, works } = start({
      keep: async () => {
        throw new Unavailable('database');
      },
    });
    const error = async () => await run(async () => ({ success: true })).catch((thrown) => thrown);
    expect(await error()).to.be.instanceOf(Error);
    expect(await error()).to.be.instanceOf(Error);
    expect(works()).to.equal(1);
  });

  describe('when nobody knows whether the work was done', () => {
    const unknown = new OutcomeUnknown('The answer was lost.');
    const lost = async () => {
      throw unknown;
    };
    const thrown = (work: Promise<object>) => work.catch((error) => error);

    it('holds the key for a day: the same request fails with conflict and does nothing', async () => {
      const { run, works, clock } = start();
      expect(await thrown(run(lost))).to.equal(unknown);
      for (const time of [0, 16 * 60_000, day - 16 * 60_000]) {
        clock.advance(time);
        expect(await thrown(run(async () => ({ success: true })))).to.have.property('reason', 'conflict');
      }
      expect(works()).to.equal(1);
      clock.advance(1);
      expect(await run(async () => ({ success: true }))).to.deep.equal({ success: true });
    });

    it('keeps trying to hold the key while the database is unavailable', async () => {
      const inner = stores.idempotency;
      let tries = 0;
      let kept = false;
      const { run, works, clock } = start({
        ...inner,
        async keep(...args) {
          if (++tries < 3) throw new Unavailable('The database is unavailable.');
          kept = await inner.keep(...args);
          return kept;
        },
      });
      expect(await thrown(run(lost))).to.equal(unknown);
      await until(() => kept);
      clock.advance(16 * 60_000);
      expect(await thrown(run(async () => ({})))).to.have.property('reason', 'conflict');
      expect(works()).to.equal(1);
    });
  });

  describe('on a server whose clock is a minute ahead', () => {
    /** Starts two servers on one store. The second one considers the requests of the first abandoned. */
    function startTwo() {
      const store = stores.idempotency;
      return [
        start(store, { clock: createManualClock(1_000_000_000) }),
        start(store, { clock: createManualClock(1_000_061_000) }),
      ] as const;
    }
    /** Starts work that ends when the test ends it. */
    function started(run: (work: () => Promise<object>) => Promise<object>) {
      const { promise, resolve, reject } = deferred<object>();
      return { answer: run(() => promise).catch((error: unknown) => error), resolve, reject };
    }

    it('keeps its answer if the first server fails later, which warns that the work was done twice', async () => {
      const [one, two] = startTwo();
      const first = started(one.run);
      expect(await two.run(async () => ({ of: 'two' }))).to.deep.equal({ of: 'two' });
      const failure = new Error('The work failed.');
      first.reject(failure);
      expect(await first.answer).to.equal(failure);
      for (const { run } of [one, two]) expect(await run(async () => ({}))).to.deep.equal({ of: 'two' });
      expect([one.works(), two.works()]).to.deep.equal([1, 1]);
      expect(one.warnings).to.have.length(1);
      expect(one.warnings).to.have.nested.property('[0][0].operation', '1:live:operation');
      expect(two.warnings).to.deep.equal([]);
    });

    it('holds the key while it works, whatever happens on the first server', async () => {
      const [one, two] = startTwo();
      const first = started(one.run);
      const second = started(two.run);
      first.resolve({ of: 'one' });
      expect(await first.answer).to.deep.equal({ of: 'one' });
      expect(await one.run(async () => ({})).catch((error) => error)).to.have.property('reason', 'conflict');
      second.resolve({ of: 'two' });
      await second.answer;
      expect(await one.run(async () => ({}))).to.deep.equal({ of: 'two' });
      expect([one.works(), two.works()]).to.deep.equal([1, 1]);
    });
  });

  it('holds every key for more than a minute after the store has failed', async () => {
    const inner = stores.idempotency;
    let isOut = false;
    const { run, works, clock } = start({
      ...inner,
      async take(...args) {
        if (isOut) throw new Unavailable('The database is unavailable.');
        return await inner.take(...args);
      },
    });
    void run(() => new Promise(() => undefined));
    clock.advance(59_000);
    isOut = true;
    expect(await run(async () => ({})).catch((error) => error)).to.be.instanceOf(Unavailable);
    isOut = false;
    clock.advance(2_000);
    expect(await run(async () => ({})).catch((error) => error)).to.have.property('reason', 'conflict');
    expect(works()).to.equal(1);
  });

  it('throws the error of the work if the key cannot be released', async () => {
    const broken = new Error('The work failed.');
    const { run } = start({
      release: async () => {
        throw new Unavailable('The database is unavailable.');
      },
    });
    const error = await run(async () => {
      throw broken;
    }).catch((thrown) => thrown);
    expect(error).to.equal(broken);
  });
});
