import { expect } from 'chai';
import { migrate, NewerDatabase } from '../../../adapters/sql/migrate.ts';
import { migrations } from '../../../adapters/sql/migrations/index.ts';
import { openSqlite } from '../../../adapters/sql/sqlite/database.ts';
import { openRaw, openUnmigrated, schemaOf } from '../../support/raw-sqlite.ts';
import { itLong } from '../../support/required-service.ts';
import { startWorker, type Worker } from '../../support/sqlite-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const steps = migrations.map(({ name }) => name);

describe('migrate', () => {
  let folder: TemporaryFolder;
  let file: string;
  const workers: Worker[] = [];

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    file = folder.file('latchkey.db');
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    await folder.remove();
  });

  const applied = async () => {
    const raw = await openRaw(file);
    const rows = await raw.all('SELECT name FROM schema_migrations ORDER BY name');
    await raw.close();
    return rows.map(({ name }) => String(name));
  };
  const make = async () => (await openSqlite(file)).close();

  it('has steps with unique names in ascending order', () => {
    expect([...new Set(steps)].sort()).to.deep.equal(steps);
  });

  itLong('applies every step once, and none in a second run', async () => {
    const database = openUnmigrated(file);
    try {
      expect(await migrate(database)).to.deep.equal(steps);
      const schema = await schemaOf(file);
      expect(await migrate(database)).to.deep.equal([]);
      expect(await schemaOf(file)).to.deep.equal(schema);
      expect(await applied()).to.deep.equal(steps);
    } finally {
      await database.close();
    }
  });

  itLong('keeps the stored rows when the file is opened again', async () => {
    const first = await openSqlite(file);
    await first.write(
      async (trx) => await trx('products').insert({ slug: 'jar', title: 'Jar', owner_id: null, created_at: 1 }),
    );
    await first.close();
    const second = await openSqlite(file);
    expect(await second.read((knex) => knex('products').pluck('slug'))).to.deep.equal(['jar']);
    await second.close();
  });

  itLong('applies every step once if several connections open a new file concurrently', async () => {
    const opened = await Promise.all(Array.from({ length: 3 }, () => openSqlite(file)));
    expect(await applied()).to.deep.equal(steps);
    await Promise.all(opened.map((database) => database.close()));
  });

  itLong('applies every step once if two processes open a new file concurrently', async () => {
    workers.push(...(await Promise.all([startWorker(), startWorker()])));
    for (let round = 0; round < 5; round++) {
      file = folder.file(`${round}.db`);
      await Promise.all(workers.map((worker) => worker.ask({ op: 'open', file })));
      expect(await applied()).to.deep.equal(steps);
      await Promise.all(workers.map((worker) => worker.ask({ op: 'close' })));
    }
  });

  itLong('refuses a database that is newer than the program, names the unknown step, and changes nothing', async () => {
    await make();
    const raw = await openRaw(file);
    await raw.run(`INSERT INTO schema_migrations VALUES ('9999-from-the-future', '2030-01-01')`);
    await raw.close();
    const error = await make().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(NewerDatabase);
    expect(error).to.have.property('message').that.includes('9999-from-the-future');
    expect(await applied()).to.deep.equal([...steps, '9999-from-the-future']);
  });

  itLong('rolls back a step that fails half-way, and applies it when the cause is gone', async () => {
    // The last table of the first step exists already, so the step fails after it created the other tables.
    const raw = await openRaw(file);
    await raw.run('CREATE TABLE audit_log (note text)');
    const error = await make().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message').that.includes('audit_log');
    expect(await schemaOf(file)).to.deep.equal(['audit_log']);
    await raw.run('DROP TABLE audit_log');
    await raw.close();
    await make();
    expect(await applied()).to.deep.equal(steps);
  });

  itLong('rolls back a step if the process is killed in it, and lets another process apply it', async () => {
    const worker = await startWorker();
    workers.push(worker);
    expect(await worker.ask({ op: 'hang in migration', file })).to.include('licenses');
    await worker.kill();
    expect(await schemaOf(file)).to.deep.equal([]);
    await make();
    expect(await applied()).to.deep.equal(steps);
  });
});
