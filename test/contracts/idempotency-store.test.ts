import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type KeptAnswer, KeyLost } from '../../adapters/contracts/idempotency-store.ts';
import { plainUser } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { toUserId } from '../../core/id.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForAll } from '../support/backends.ts';
import { issuedAt } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

const abandonedAfter = 10;
const keptFor = 100;
const answer: KeptAnswer = { kind: 'known', body: '{"name":"Böb \\"B\\" O\'Neil — 😀"}' };

const key = fc.constantFrom('one', 'two');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ take: key, fingerprint: fc.constantFrom('a', 'a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ keep: key, kind: fc.constantFrom('known' as const, 'unknown' as const) }) },
  { weight: 1, arbitrary: fc.record({ release: key }) },
  { weight: 1, arbitrary: fc.record({ pass: fc.constantFrom(1, abandonedAfter, abandonedAfter + 1, keptFor) }) },
);

for (const backend of backends) {
  describe(`idempotency store: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let now = issuedAt;
    let one: string;
    let number = 0;

    beforeEach(() => {
      one = `user 1:publish:${number++}`;
    });

    const told = (taken: undefined | KeptAnswer | object) =>
      taken === undefined ? 'taken' : isRefused(taken) ? taken.reason : taken;
    /** The last request that took each key. */
    const owners = new Map<string, string>();
    const claim = (key: string) => ({ key, owner: owners.get(key) ?? 'nobody' });
    const take = async (key: string, fingerprint = 'a') => {
      const owner = randomUUID();
      const taken = told(
        await stores.idempotency.take({ key, owner }, fingerprint, {
          now,
          forgetBefore: now - keptFor,
          abandonedBefore: now - abandonedAfter,
        }),
      );
      if (taken === 'taken') owners.set(key, owner);
      return taken;
    };
    const takeAtOnce = (times: number, fingerprint: (n: number) => string = () => 'a') =>
      Promise.all(Array.from({ length: times }, (_, n) => take(one, fingerprint(n))));

    it('takes each free key independently of similar keys', async () => {
      for (const other of [one, `${one} `, one.toUpperCase(), `${one}%`, '_'.repeat(one.length)]) {
        expect(await take(other)).to.equal('taken');
      }
    });

    it('returns in_flight while the first request has no answer', async () => {
      await take(one);
      expect([await take(one), await take(one)]).to.deep.equal(['in_flight', 'in_flight']);
    });

    it('returns the saved answer unchanged, any number of times', async () => {
      await take(one);
      await stores.idempotency.keep(claim(one), answer);
      expect([await take(one), await take(one)]).to.deep.equal([answer, answer]);
    });

    it('refuses the key for a different request, whether or not the first one has an answer', async () => {
      await take(one, 'a');
      expect(await take(one, 'b')).to.equal('key_reused');
      await stores.idempotency.keep(claim(one), answer);
      expect(await take(one, 'b')).to.equal('key_reused');
      expect(await take(one, 'a')).to.deep.equal(answer);
    });

    it('lets any request take a released key', async () => {
      await take(one, 'a');
      await stores.idempotency.release(claim(one));
      expect(await take(one, 'b')).to.equal('taken');
      expect(await take(one, 'a')).to.equal('key_reused');
    });

    it('saves an answer or releases a key without changing other keys', async () => {
      const other = `${one}-other`;
      await take(one);
      await take(other);
      await stores.idempotency.keep(claim(one), answer);
      expect(await take(other)).to.equal('in_flight');
      await stores.idempotency.release(claim(other));
      expect(await take(one)).to.deep.equal(answer);
    });

    it('saves no answer for a key that was not taken', async () => {
      await stores.idempotency.keep(claim(one), answer);
      expect(await take(one)).to.equal('taken');
    });

    it('lets another request take the key when the time limit of an unanswered request is over, and not earlier', async () => {
      await take(one, 'a');
      now += abandonedAfter;
      expect(await take(one, 'a')).to.equal('in_flight');
      now += 1;
      expect(await take(one, 'b')).to.equal('taken');
      now += abandonedAfter;
      expect(await take(one, 'b')).to.equal('in_flight');
    });

    it('starts the time limit of a request again when the request is renewed', async () => {
      await take(one, 'a');
      for (let times = 0; times < 3; times++) {
        now += abandonedAfter;
        await stores.idempotency.renew(claim(one), now);
      }
      now += abandonedAfter;
      expect(await take(one, 'a')).to.equal('in_flight');
      now += 1;
      expect(await take(one, 'b')).to.equal('taken');
    });

    it('does not renew an answered or released key', async () => {
      const released = `${one}-released`;
      await take(one);
      await take(released);
      await stores.idempotency.keep(claim(one), answer);
      await stores.idempotency.release(claim(released));
      now += keptFor;
      await stores.idempotency.renew(claim(one), now);
      await stores.idempotency.renew(claim(released), now);
      expect(await take(one)).to.deep.equal(answer);
      expect(await take(released)).to.equal('taken');
      now += 1;
      expect(await take(one, 'b')).to.equal('taken');
    });

    describe('a request whose key was taken by another after the time limit', () => {
      let lost: { readonly key: string; readonly owner: string };
      beforeEach(async () => {
        await take(one);
        lost = claim(one);
        now += abandonedAfter + 1;
        expect(await take(one)).to.equal('taken');
      });

      it('cannot release or renew the key or save an answer', async () => {
        expect(await stores.idempotency.release(lost)).to.equal('lost');
        expect(await stores.idempotency.renew(lost, now + abandonedAfter)).to.equal(false);
        expect(await stores.idempotency.keep(lost, answer)).to.equal(false);
        expect(await take(one)).to.equal('in_flight');
        now += abandonedAfter + 1;
        expect(await take(one)).to.equal('taken');
      });

      it('does not change the answer of the other request', async () => {
        expect(await stores.idempotency.keep(claim(one), answer)).to.equal(true);
        expect(await stores.idempotency.keep(lost, { kind: 'unknown' })).to.equal(false);
        expect(await stores.idempotency.release(lost)).to.equal('lost');
        expect(await take(one)).to.deep.equal(answer);
      });
    });

    it('tells a request at renew, keep and release whether it still had the key', async () => {
      await take(one);
      expect(await stores.idempotency.renew(claim(one), now)).to.equal(true);
      expect(await stores.idempotency.keep(claim(one), answer)).to.equal(true);
      expect(await stores.idempotency.renew(claim(one), now)).to.equal(false);
      expect(await stores.idempotency.release(claim(one))).to.equal('freed');
      expect(await stores.idempotency.release(claim(one))).to.equal('lost');
    });

    describe('a request that has changed something', () => {
      let users = 0;
      /** Makes a change for the request that has taken the key. */
      const change = (request = claim(one)) => {
        const email = `${one}-${users++}@example.com`;
        const user = { ...plainUser, name: 'Ada', email, tier: 'pro', createdAt: issuedAt } as const;
        return stores.accounts.add(user, event('user.added', email, { actor: 'test', request }, issuedAt));
      };
      const upload = (request = claim(one)) =>
        stores.uploads.add({ userId: toUserId(1), isLive: true, key: randomUUID(), size: 1, at: issuedAt, request });
      beforeEach(async () => {
        await take(one);
      });

      for (const [what, made] of Object.entries({ change, upload })) {
        it(`is never abandoned, and nobody knows its answer if its process ends (${what})`, async () => {
          await made();
          now += abandonedAfter;
          expect(await take(one)).to.equal('in_flight');
          await stores.idempotency.renew(claim(one), now);
          now += abandonedAfter;
          expect(await take(one)).to.equal('in_flight');
          now += 1;
          expect([await take(one), await take(one)]).to.deep.equal([{ kind: 'unknown' }, { kind: 'unknown' }]);
          expect(await take(one, 'b')).to.equal('key_reused');
          now += keptFor;
          expect(await take(one, 'b')).to.equal('taken');
        });

        it(`changes nothing after it has lost its key (${what})`, async () => {
          const lost = claim(one);
          now += abandonedAfter + 1;
          expect(await take(one)).to.equal('taken');
          const before = await stores.audit.list({ limit: 10_000 });
          expect(await made(lost).catch((error: unknown) => error)).to.be.instanceOf(KeyLost);
          expect(await stores.audit.list({ limit: 10_000 })).to.deep.equal(before);
          expect(await stores.accounts.findByEmail(`${one}-${users - 1}@example.com`)).to.equal(undefined);
          await made();
          now += abandonedAfter + 1;
          expect(await take(one)).to.deep.equal({ kind: 'unknown' });
        });
      }

      it('gets its answer stored, and is not remembered in the audit trail', async () => {
        await change();
        await Promise.all([change(), change(), change()]);
        expect(await stores.idempotency.keep(claim(one), answer)).to.equal(true);
        await change();
        expect(await take(one)).to.deep.equal(answer);
        expect((await stores.audit.list({ limit: 1 }))[0]).to.not.have.property('request');
      });

      it('keeps its key, unless doing it again completes it', async () => {
        await change();
        expect(await stores.idempotency.release(claim(one))).to.equal('changed');
        expect(await take(one)).to.equal('in_flight');
        expect(await stores.idempotency.release(claim(one), true)).to.equal('freed');
        expect(await take(one)).to.equal('taken');
      });
    });

    it('does not forget an answer for an unknown one', async () => {
      await take(one);
      await stores.idempotency.keep(claim(one), answer);
      expect(await stores.idempotency.keep(claim(one), { kind: 'unknown' })).to.equal(true);
      expect(await take(one)).to.deep.equal(answer);
    });

    it('returns an answer until it is too old, and then lets any request take the key', async () => {
      await take(one, 'a');
      await stores.idempotency.keep(claim(one), answer);
      now += keptFor;
      expect(await take(one, 'a')).to.deep.equal(answer);
      now += 1;
      expect(await take(one, 'b')).to.equal('taken');
    });

    it('gives the key to exactly one of many equal concurrent requests', async () => {
      expect((await takeAtOnce(12)).sort()).to.deep.equal([...Array(11).fill('in_flight'), 'taken']);
    });

    it('gives the key to exactly one of many different concurrent requests', async () => {
      const answers = await takeAtOnce(12, String);
      expect(answers.sort()).to.deep.equal([...Array(11).fill('key_reused'), 'taken']);
    });

    it('gives an abandoned key to exactly one of many concurrent requests', async () => {
      await take(one);
      now += abandonedAfter + 1;
      expect((await takeAtOnce(12)).sort()).to.deep.equal([...Array(11).fill('in_flight'), 'taken']);
    });

    it('keeps these promises for calls in any order', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          run++;
          const records = new Map<string, { fingerprint: string; at: number; answer?: KeptAnswer }>();
          for (const taken of steps) {
            if ('pass' in taken) now += taken.pass;
            else if ('keep' in taken) {
              const kept: KeptAnswer =
                taken.kind === 'known' ? { kind: 'known', body: `{"of":"${taken.keep}"}` } : { kind: 'unknown' };
              await stores.idempotency.keep(claim(`${run} ${taken.keep}`), kept);
              const record = records.get(taken.keep);
              if (record !== undefined && (kept.kind === 'known' || record.answer === undefined)) record.answer = kept;
            } else if ('release' in taken) {
              await stores.idempotency.release(claim(`${run} ${taken.release}`));
              records.delete(taken.release);
            } else {
              const { take: id, fingerprint } = taken;
              for (const [other, record] of records) {
                if (record.at < now - (record.answer ? keptFor : abandonedAfter)) records.delete(other);
              }
              const record = records.get(id);
              const expected =
                record === undefined
                  ? 'taken'
                  : record.fingerprint !== fingerprint
                    ? 'key_reused'
                    : (record.answer ?? 'in_flight');
              if (record === undefined) records.set(id, { fingerprint, at: now });
              expect(await take(`${run} ${id}`, fingerprint)).to.deep.equal(expected);
            }
          }
        }),
        { numRuns: runs(40) },
      );
    });
  });
}
