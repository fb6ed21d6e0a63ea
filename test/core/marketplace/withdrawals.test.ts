import { expect } from 'chai';
import { keepWithdrawing } from '../../../apps/wiring/keep-withdrawing.ts';
import { createWithdrawals } from '../../../core/marketplace/withdrawals.ts';
import type { FileLedger } from '../../../core/ports/file-ledger.ts';
import type { FileStorage } from '../../../core/ports/file-storage.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { until } from '../../support/eventually.ts';

const absent = () => expect.fail('is not asked for');

describe('the withdrawal of files', () => {
  const stored = new Set<string>();
  const counted = new Set<string>();
  let refused: Set<string>;
  let isLedgerOut: boolean;
  let asked: string[];
  beforeEach(() => {
    for (const set of [stored, counted]) {
      set.clear();
      for (const key of ['a', 'b', 'c']) set.add(key);
    }
    refused = new Set();
    isLedgerOut = false;
    asked = [];
  });
  const out = () => new Unavailable('As the test wants it.');
  const files: FileStorage = {
    put: absent,
    has: absent,
    read: absent,
    link: absent,
    storedBefore: absent,
    async delete(key) {
      asked.push(key);
      if (refused.has(key)) throw out();
      stored.delete(key);
    },
  };
  const ledger: FileLedger = {
    add: absent,
    used: absent,
    unreferenced: absent,
    async remove(keys) {
      if (isLedgerOut) throw out();
      for (const key of keys) counted.delete(key);
    },
  };

  it('deletes what was stored, and counts neither that nor what was never stored', async () => {
    await createWithdrawals(files, ledger).takeBack(['a'], ['b']);
    expect([...stored]).to.deep.equal(['b', 'c']);
    expect([...counted]).to.deep.equal(['c']);
  });

  it('keeps in mind what it could not do, and counts it until it is done', async () => {
    const withdrawals = createWithdrawals(files, ledger);
    refused = new Set(['a', 'b']);
    await withdrawals.takeBack(['a', 'b'], ['c']);
    expect([...counted]).to.deep.equal(['a', 'b']);
    asked = [];
    await withdrawals.again();
    expect(asked).to.deep.equal(['a']);
    refused = new Set(['a']);
    await withdrawals.again();
    expect([...counted]).to.deep.equal(['a']);
    refused.clear();
    await withdrawals.again();
    expect([...counted]).to.deep.equal([]);
    asked = [];
    await withdrawals.again();
    expect(asked).to.deep.equal([]);
  });

  it('keeps in mind what the database could not forget', async () => {
    const withdrawals = createWithdrawals(files, ledger);
    isLedgerOut = true;
    await withdrawals.takeBack(['a'], ['b']);
    expect([...counted]).to.deep.equal(['a', 'b', 'c']);
    isLedgerOut = false;
    await withdrawals.again();
    expect([...counted]).to.deep.equal(['c']);
  });

  it('is tried again until it is closed', async () => {
    const withdrawals = keepWithdrawing(createWithdrawals(files, ledger), 5);
    refused.add('a');
    await withdrawals.takeBack(['a'], []);
    await until(() => asked.length > 3);
    refused.clear();
    await until(() => !counted.has('a'));
    withdrawals.close();
  });
});
