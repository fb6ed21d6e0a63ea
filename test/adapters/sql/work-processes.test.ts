import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { addWork } from '../../../adapters/sql/stores/add-work.ts';
import { addMail } from '../../../adapters/sql/stores/mail-rows.ts';
import { createSqlMailStore } from '../../../adapters/sql/stores/mail-store.ts';
import { createSqlWorkQueue } from '../../../adapters/sql/stores/work-queue.ts';
import { lease } from '../../../core/work/work.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { newMail } from '../../support/mails.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { startProgram } from '../../support/run-process.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const rows = 3_000;
const nothing = { count: 0, oldest: null };
const nothingDue = { mail: nothing, order: nothing, deployment: nothing, usdc: nothing };

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`three processes that do the work of one database: ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    beforeEach(async () => {
      place = await make();
      database = await place.open();
      await database.write(async (trx) => {
        await addMail(trx, newMail(now));
        const { id: _, ...row } = await trx('mails').first();
        for (let n = 1; n < rows; n += 250) {
          const copies = Array.from({ length: Math.min(250, rows - n) }, () => row);
          const added: { id: number }[] = await trx('mails').insert(copies).returning('id');
          await addWork(
            trx,
            'mail',
            added.map(({ id }) => id),
            now,
          );
        }
      });
    });
    afterEach(async () => {
      await database.close();
      await place.remove();
    });

    /** Starts a process. `claimed` grows while it runs. */
    async function start(at: number, ...mode: ('hold' | 'wait')[]) {
      const args = [place.url, String(at), String(at + lease), ...mode];
      const child = await startProgram('support/work-process.ts', args, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
      const ended = once(child, 'exit').then(([code]) => code);
      const claimed: number[] = [];
      const lines = createInterface({ input: child.stdout ?? expect.fail() });
      const ready = once(lines, 'line');
      const read = once(lines, 'close');
      lines.on('line', (line) => claimed.push(...JSON.parse(line)));
      await ready;
      return {
        claimed,
        ended: ended.then(async (code) => {
          await read;
          return code;
        }),
        kill: () => child.kill('SIGKILL'),
        /** Ends the wait of a process that was started with `wait`. */
        go: () => child.disconnect(),
        /** Resolves when it has claimed this many rows. */
        async has(count: number) {
          while (claimed.length < count) await once(lines, 'line');
        },
      };
    }
    const states = async () => {
      const mails = createSqlMailStore(database);
      return (await mails.list({ limit: 10 * rows })).map(({ state }) => state);
    };

    it('do every piece once', async () => {
      const workers = await Promise.all([start(now, 'wait'), start(now, 'wait'), start(now, 'wait')]);
      // No process can do everything before the others have started.
      await Promise.all(workers.map((worker) => worker.has(1)));
      for (const worker of workers) worker.go();
      expect(await Promise.all(workers.map(({ ended }) => ended))).to.deep.equal([0, 0, 0]);
      const claimed = workers.flatMap((worker) => worker.claimed);
      expect(claimed).to.have.lengthOf(rows);
      expect(new Set(claimed)).to.have.lengthOf(rows);
      expect(await states()).to.deep.equal(Array(rows).fill('sent'));
      expect(await createSqlWorkQueue(database).backlog(now + 99)).to.deep.equal(nothingDue);
    });

    it('lose nothing if one of them is killed: others do its work when the lease ends', async () => {
      const killed = await start(now, 'hold');
      await killed.has(200);
      killed.kill();
      await killed.ended;
      const others = await Promise.all([start(now), start(now)]);
      await Promise.all(others.map(({ ended }) => ended));
      const done = others.flatMap(({ claimed }) => claimed);
      // What the killed process had claimed is not due before its lease ends.
      const left = (await createSqlWorkQueue(database).backlog(now + 99)).mail.count;
      expect(left).to.be.at.least(200);
      expect(done).to.have.lengthOf(rows - left);
      expect(done.filter((id) => killed.claimed.includes(id))).to.deep.equal([]);

      const last = await start(now + lease);
      await last.ended;
      expect(last.claimed).to.have.lengthOf(left).and.to.include.members(killed.claimed);
      expect(new Set([...done, ...last.claimed])).to.have.lengthOf(rows);
      expect(await states()).to.deep.equal(Array(rows).fill('sent'));
    });
  });
}
