import { expect } from 'chai';
import fc from 'fast-check';
import type { Tier } from '../../../core/accounts/tier.ts';
import { toUserId } from '../../../core/id.ts';
import { createStoring } from '../../../core/marketplace/storing.ts';
import { NothingStored } from '../../../core/nothing-stored.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import { refuse } from '../../../core/refusal.ts';
import { runs } from '../../support/runs.ts';

const absent = () => expect.fail('unexpected call');
const allowed = 100;
const allowances: Record<Tier, number> = { free: allowed, pro: allowed, enterprise: allowed };
const owner = { id: toUserId(4), tier: 'pro' } as const;
const file = (size: number) => ({ path: '/tmp/file', kind: 'zip', size }) as const;

/** What is stored and counted, in memory. */
function opened(failing?: { readonly key: string; readonly error: Error }) {
  const stored = new Set<string>();
  const counted = new Map<string, number>();
  const used = () => [...counted.values()].reduce((sum, size) => sum + size, 0);
  const forgotten: [begun: readonly string[], others: readonly string[]][] = [];
  const storing = createStoring({
    allowances,
    clock: { now: () => 7 },
    files: {
      delete: absent,
      has: absent,
      read: absent,
      link: absent,
      storedBefore: absent,
      async put(key) {
        if (failing?.key === key) throw failing.error;
        stored.add(key);
      },
    },
    ledger: {
      remove: absent,
      unreferenced: absent,
      used: async () => used(),
      async add(_, files, most) {
        const isAdded = used() + files.reduce((sum, { size }) => sum + size, 0) <= most;
        if (isAdded) for (const { key, size } of files) counted.set(key, size);
        return { isAdded, used: used() };
      },
    },
    withdrawals: {
      again: absent,
      async takeBack(begun, others) {
        forgotten.push([begun, others]);
        for (const key of [...begun, ...others]) counted.delete(key);
        for (const key of begun) stored.delete(key);
      },
    },
  });
  return { storing, stored, counted, forgotten, used };
}

const two = [
  ['a', file(30)],
  ['b', file(20)],
] as const;

describe('storing files', () => {
  it('stores and counts all files before the work, and returns what the work returns', async () => {
    const { storing, stored, counted } = opened();
    const done = await storing.store(owner, two, async () => [...stored, ...counted.values()]);
    expect(done).to.deep.equal(['a', 'b', 30, 20]);
  });

  it('counts nothing for files without an owner, and always has room for them', async () => {
    const { storing, stored, counted } = opened();
    await storing.store(undefined, [['a', file(allowed + 1)]], async () => undefined);
    expect([[...stored], counted.size]).to.deep.equal([['a'], 0]);
    expect(await storing.room(undefined, allowed + 1)).to.equal(undefined);
  });

  for (const [name, work] of [
    ['is refused', async () => refuse('not_today')],
    ['throws', async () => Promise.reject(new Error('Failure caused by the test.'))],
  ] as const) {
    it(`deletes all files if the work ${name}`, async () => {
      const { storing, stored, counted } = opened();
      await storing.store(owner, two, work).catch(() => undefined);
      expect([stored.size, counted.size]).to.deep.equal([0, 0]);
    });
  }

  it('leaves everything as it is if the work may have been done', async () => {
    const { storing, stored, counted } = opened();
    const lost = new OutcomeUnknown('Caused by the test.');
    const error = await storing.store(owner, two, () => Promise.reject(lost)).catch((thrown) => thrown);
    expect(error).to.equal(lost);
    expect([stored.size, counted.size]).to.deep.equal([2, 2]);
  });

  for (const [error, begun, others] of [
    [new Error('It may be stored.'), ['a', 'b'], []],
    [new NothingStored('Nothing was sent.'), ['a'], ['b']],
  ] as const) {
    it(`deletes what may be stored if a file cannot be stored: ${error.message}`, async () => {
      const { storing, forgotten } = opened({ key: 'b', error });
      const thrown = await storing.store(owner, two, absent).catch((caught) => caught);
      expect(thrown).to.equal(error);
      expect(forgotten).to.deep.equal([[begun, others]]);
    });
  }

  it('never has more than the plan allows, refuses only what does not fit, and says so before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: allowed + 1 }), { maxLength: 8 }), async (sizes) => {
        const { storing, stored, used } = opened();
        for (const [index, size] of sizes.entries()) {
          const before = used();
          const fits = before + size <= allowed;
          expect((await storing.room(owner, size)) === undefined).to.equal(fits);
          const answer = await storing.store(owner, [[`file-${index}`, file(size)]], async () => 'done');
          if (fits) expect(answer).to.equal('done');
          else expect(answer).to.deep.include({ reason: 'quota_exceeded', figures: { used: before, allowed } });
          expect([stored.has(`file-${index}`), used()]).to.deep.equal([fits, before + (fits ? size : 0)]);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
