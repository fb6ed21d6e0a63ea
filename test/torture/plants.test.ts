import { expect } from 'chai';
import { postgresServer } from '../support/postgres-backend.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { openHouse } from './house.ts';
import { type Planted, plantNames, plants } from './plants.ts';
import { runStorm } from './storm.ts';

/** Seconds in which the bug must be found. A few are enough. */
const longEnough = 60;

for (const { database, skip } of [
  { database: 'sqlite' as const, skip: undefined },
  { database: 'postgres' as const, skip: postgresServer.skip },
]) {
  needing(skipLong ?? skip).describe(`a bug that is planted on ${database}`, () => {
    for (const plant of plantNames) {
      const { databases, blows }: Planted = plants[plant];
      if (!databases.includes(database)) continue;
      it(`is caught: ${plant}`, async () => {
        await using house = await openHouse({ database, processes: 2, plant });
        const { violations } = await runStorm(house, {
          seed: 1,
          processes: 2,
          licenses: 8,
          clients: 3,
          calls: 60,
          blows,
          calm: { atLeast: 100, more: 100 },
          continues: ({ seconds, violations }) => violations.length === 0 && seconds < longEnough,
        });
        expect(house.faults).to.deep.equal([]);
        expect(violations).to.not.deep.equal([]);
      });
    }
  });
}
