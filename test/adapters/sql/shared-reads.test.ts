import { expect } from 'chai';
import { sharedRead } from '../../../adapters/sql/shared-reads.ts';
import { deferred } from '../../support/deferred.ts';
import { errorOf } from '../../support/error-of.ts';

describe('a shared read', () => {
  /** A table, and reads of it that end only when the test ends them. */
  function heldReads() {
    const table = new Map([['a', 1]]);
    const reads: { readonly keys: readonly string[]; readonly end: ReturnType<typeof deferred<void>> }[] = [];
    let told = deferred();
    const find = sharedRead(async (keys) => {
      const found = new Map(keys.flatMap((key) => (table.has(key) ? [[key, table.get(key)] as const] : [])));
      const end = deferred();
      reads.push({ keys, end });
      told.resolve();
      await end.promise;
      return found;
    });
    const started = async (n: number) => {
      while (reads.length < n) {
        told = deferred();
        await told.promise;
      }
      return reads[n - 1]?.end;
    };
    return { table, reads, find, started };
  }

  it('asks once for all that came while another one ran, and once for each key', async () => {
    const { reads, find, started } = heldReads();
    const first = find('a');
    const end = await started(1);
    const others = ['b', 'a', 'b', 'c'].map((key) => find(key));
    end?.resolve();
    expect(await first).equal(1);
    (await started(2))?.resolve();
    expect(await Promise.all(others)).deep.equal([undefined, 1, undefined, undefined]);
    expect(reads.map(({ keys }) => keys)).deep.equal([['a'], ['b', 'a', 'c']]);
  });

  it('never gives a call what was read before the call', async () => {
    const { table, find, started } = heldReads();
    const before = find('a');
    const end = await started(1);
    table.delete('a'); // Such as a key that is revoked while it is read.
    const after = find('a');
    end?.resolve();
    (await started(2))?.resolve();
    expect([await before, await after]).deep.equal([1, undefined]);
  });

  it('fails only for those who shared the read that failed', async () => {
    const { find, started } = heldReads();
    const first = find('a');
    const end = await started(1);
    const second = find('a');
    end?.reject(new Error('planned fault'));
    expect(String(await errorOf(first))).include('planned fault');
    (await started(2))?.resolve();
    expect(await second).equal(1);
  });
});
