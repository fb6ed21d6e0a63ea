import { expect } from 'chai';
import { createWithin } from '../../../adapters/within.ts';
import { createWithdrawals } from '../../../core/marketplace/withdrawals.ts';
import type { FileLedger } from '../../../core/ports/file-ledger.ts';
import type { FileStorage } from '../../../core/ports/file-storage.ts';
import { Unavailable } from '../../../core/unavailable.ts';

const absent = () => expect.fail('unexpected call');

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
  const outage = () => new Unavailable('Outage caused by the test.');
  const files: FileStorage = {
    put: absent,
    has: absent,
    read: absent,
    link: absent,
    storedBefore: absent,
    async delete(key) {
      asked.push(key);
      if (refused.has(key)) throw outage();
      stored.delete(key);
    },
  };
  const ledger: FileLedger = {
    add: absent,
    used: absent,
    unreferenced: absent,
    async remove(keys) {
      if (isLedgerOut) throw outage();
      for (const key of keys) counted.delete(key);
    },
  };

  it('deletes stored files, and no longer counts them or files that were never stored', async () => {
    await createWithdrawals({ files, ledger, within: createWithin(10_000) }).takeBack(['a'], ['b']);
    expect([...stored]).to.deep.equal(['b', 'c']);
    expect([...counted]).to.deep.equal(['c']);
  });

  it('remembers files that it could not delete, and counts them until they are deleted', async () => {
    const withdrawals = createWithdrawals({ files, ledger, within: createWithin(10_000) });
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

  it('does not wait longer than its time for a silent storage, and deletes the files later', async () => {
    let isSilent = true;
    const silent: FileStorage = {
      ...files,
      delete: (key, stop) =>
        isSilent
          ? new Promise((_, reject) => stop?.addEventListener('abort', () => reject(stop.reason)))
          : files.delete(key),
    };
    const withdrawals = createWithdrawals({ files: silent, ledger, within: createWithin(1) });
    await withdrawals.takeBack(['a', 'b'], ['c']);
    expect([...counted]).to.deep.equal(['a', 'b']);
    isSilent = false;
    await withdrawals.again();
    expect([...counted]).to.deep.equal([]);
  });

  it('tries again if the database could not update the counts', async () => {
    const withdrawals = createWithdrawals({ files, ledger, within: createWithin(10_000) });
    isLedgerOut = true;
    await withdrawals.takeBack(['a'], ['b']);
    expect([...counted]).to.deep.equal(['a', 'b', 'c']);
    isLedgerOut = false;
    await withdrawals.again();
    expect([...counted]).to.deep.equal(['c']);
  });
});
