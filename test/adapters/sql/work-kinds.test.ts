import { expect } from 'chai';
import { addWork } from '../../../adapters/sql/stores/add-work.ts';
import { createSqlWorkQueue } from '../../../adapters/sql/stores/work-queue.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { sqlKinds } from '../../support/sql-databases.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`kinds of work: ${name}`, () => {
    itLong('leaves work of a kind that it does not know to a newer process', async () => {
      const place = await make();
      const database = await place.open();
      try {
        await database.write(async (trx) => {
          await addWork(trx, 'order', [1, 2], now);
          await trx('work').where({ subject_id: 1 }).update({ kind: 'of-tomorrow' });
        });
        const claimed = await createSqlWorkQueue(database).claim({ now, until: now + 9, most: 9 });
        expect(claimed.map(({ subjectId }) => subjectId)).to.deep.equal([2]);
      } finally {
        await database.close();
        await place.remove();
      }
    });
  });
}
