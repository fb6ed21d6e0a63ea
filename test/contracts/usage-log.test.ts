import { expect } from 'chai';
import fc from 'fast-check';
import type { User } from '../../core/accounts/user.ts';
import { toUserId } from '../../core/id.ts';
import type { AccountUse, Day } from '../../core/ports/usage-log.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const first = '0001-01-01';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`usage log: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: User;
    let bob: User;
    beforeEach(async () => {
      [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
    });

    const use = ({ id: userId }: Pick<User, 'id'>, day: Day, calls: number, refused: number): AccountUse => {
      return { userId, day, calls, refused };
    };

    it('returns the days of one account from a day on, oldest first', async () => {
      await stores.usage.add([
        use(ada, '2026-12-01', 3, 4),
        use(bob, '2026-11-30', 7, 8),
        use(ada, '2026-11-29', 1, 2),
        use(ada, '2026-11-30', 2 ** 40, 2 ** 41),
      ]);
      const days = [
        { day: '2026-11-29', calls: 1, refused: 2 },
        { day: '2026-11-30', calls: 2 ** 40, refused: 2 ** 41 },
        { day: '2026-12-01', calls: 3, refused: 4 },
      ];
      expect(await stores.usage.days(ada.id, first)).to.deep.equal(days);
      expect(await stores.usage.days(ada.id, '2026-11-30')).to.deep.equal(days.slice(1));
      expect(await stores.usage.days(bob.id, first)).to.deep.equal([{ day: '2026-11-30', calls: 7, refused: 8 }]);
      expect(await stores.usage.days(bob.id, '2026-12-01')).to.deep.equal([]);
      expect(await stores.usage.days(toUserId(999), first)).to.deep.equal([]);
    });

    it('adds to the stored numbers, and nothing if there is nothing to add', async () => {
      await stores.usage.add([]);
      await stores.usage.add([use(ada, '2026-11-22', 3, 0), use(bob, '2026-11-22', 1, 1)]);
      await stores.usage.add([use(ada, '2026-11-22', 4, 5)]);
      expect(await stores.usage.days(ada.id, first)).to.deep.equal([{ day: '2026-11-22', calls: 7, refused: 5 }]);
      expect(await stores.usage.days(bob.id, first)).to.deep.equal([{ day: '2026-11-22', calls: 1, refused: 1 }]);
    });

    it('ignores users that do not exist, and adds the rest', async () => {
      const nobody = [toUserId(999), toUserId(9_999_999_999)].map((id) => use({ id }, '2026-11-22', 1, 1));
      await stores.usage.add(nobody);
      await stores.usage.add([...nobody, use(ada, '2026-11-22', 2, 3)]);
      expect(await stores.usage.days(ada.id, first)).to.deep.equal([{ day: '2026-11-22', calls: 2, refused: 3 }]);
    });

    it('loses nothing if calls run at the same time, in whatever order they name the accounts', async () => {
      const day = '2026-11-22';
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const both = [use(ada, day, 1, n), use(bob, day, n, 1), use(ada, '2026-11-23', 1, 0)];
          return stores.usage.add(n % 2 === 0 ? both : both.toReversed());
        }),
      );
      expect(await stores.usage.days(ada.id, day)).to.deep.equal([
        { day, calls: 20, refused: 190 },
        { day: '2026-11-23', calls: 20, refused: 0 },
      ]);
      expect(await stores.usage.days(bob.id, day)).to.deep.equal([{ day, calls: 190, refused: 20 }]);
    });

    it('deletes the days before a day, and no others', async () => {
      const days = fc.uniqueArray(fc.integer({ min: 10, max: 28 }), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(days, days, fc.integer({ min: 10, max: 28 }), async (ofAda, ofBob, before) => {
          await stores.usage.forget('9999-12-31');
          const named = (numbers: readonly number[]) => numbers.map((number) => `2026-11-${number}` as const);
          await stores.usage.add([
            ...named(ofAda).map((day) => use(ada, day, 1, 0)),
            ...named(ofBob).map((day) => use(bob, day, 1, 0)),
          ]);
          const gone = [...ofAda, ...ofBob].filter((number) => number < before).length;
          expect(await stores.usage.forget(`2026-11-${before}`)).to.equal(gone);
          for (const [user, numbers] of [
            [ada, ofAda],
            [bob, ofBob],
          ] as const) {
            const left = numbers.filter((number) => number >= before).toSorted((one, other) => one - other);
            expect((await stores.usage.days(user.id, first)).map(({ day }) => day)).to.deep.equal(named(left));
          }
        }),
        { numRuns: runs(15) },
      );
    });

    itLong('deletes a large number of days', async () => {
      const numbers = Array.from({ length: 1_100 }, (_, n) => 1_000 + n);
      for (let start = 0; start < numbers.length; start += 200) {
        await stores.usage.add(numbers.slice(start, start + 200).map((year) => use(ada, `${year}-01-01`, 1, 0)));
      }
      expect(await stores.usage.forget('2099-01-01')).to.equal(1_099);
      expect(await stores.usage.days(ada.id, first)).to.have.lengthOf(1);
    });
  });
}
