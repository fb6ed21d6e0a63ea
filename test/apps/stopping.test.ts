import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/eventually.ts';
import { startFakeS3, xml } from '../support/fake-s3.ts';
import { makeDatabase, postgresServer } from '../support/postgres-backend.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { serverProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** One page of an endless list. */
const page =
  '<ListBucketResult><Name>files</Name><IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken></ListBucketResult>';

needing(skipLong).describe('a server that is stopped by a signal while it sweeps files', () => {
  it('immediately becomes unready, still answers for STOP_DELAY seconds, and then ends', async () => {
    const folder = await makeTemporaryFolder();
    const { promise: sweeps, resolve: found } = deferred();
    const bucket = await startFakeS3((_, response) => {
      if (bucket.asked.length > 2) found();
      setTimeout(() => xml(response, 200, page), 100);
    });
    const server = await startServer({
      DATABASE_URL: `sqlite:${folder.file('stop.db')}`,
      FILES_URL: `s3://files?endpoint=${bucket.endpoint}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      SECRET_KEY: 'c'.repeat(64),
      STOP_DELAY: '2',
    });
    try {
      await sweeps;
      const stopped = server.stop('SIGTERM');
      const ready = async () => {
        const { status, headers } = await fetch(`${server.url}/health/ready`);
        return { status, connection: headers.get('connection') };
      };
      await until(async () => (await ready()).status === 503);
      expect(await ready()).to.deep.equal({ status: 503, connection: 'close' });
      expect(await stopped).to.equal(0);
      expect(server.log.at(-1)).to.include({ msg: 'stopped' });
      expect(server.log.filter(({ msg }) => msg === 'sweep failed')).to.deep.equal([]);
    } finally {
      await server.stop('SIGKILL');
      await bucket.close();
      await folder.remove();
    }
  });
});

needing(postgresServer.skip).describe('a server that is stopped by a signal during its start', () => {
  let folder: TemporaryFolder;
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let other: pg.Client;
  before(async () => {
    folder = await makeTemporaryFolder();
    database = await makeDatabase();
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
    // Like a process that migrates the database.
    await other.query('SELECT pg_advisory_lock(1279609416, hashtext(current_schema()))');
  });
  after(async () => {
    await other?.end();
    await database?.drop();
    await folder?.remove();
  });

  /** Returns whether a server has connected to the database. */
  const isConnected = async () => {
    const own = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchkey'`;
    return (await other.query(own)).rows.length > 0;
  };
  const starts = [
    { signal: 'SIGINT', code: 130, workers: '1' },
    { signal: 'SIGTERM', code: 143, workers: '2' },
  ] as const;
  for (const { signal, code, workers } of starts) {
    it(`ends at once with one line, and with exit code ${code} on ${signal} (WORKERS=${workers})`, async () => {
      await until(async () => !(await isConnected())); // Until the session of the previous test has ended.
      const child = spawn(process.execPath, [serverProgram, 'serve'], {
        env: {
          PATH: process.env.PATH,
          PORT: '0',
          DATABASE_URL: database.url,
          FILES_URL: `disk:${folder.file(workers)}`,
          WORKERS: workers,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      try {
        let errors = '';
        child.stderr.on('data', (chunk) => {
          errors += chunk;
        });
        const ended = once(child, 'close');
        await until(async () => (await isConnected()) || child.exitCode !== null);
        child.kill(signal);
        expect(await ended).to.deep.equal([code, null]);
        expect(errors).to.equal(`latchkey-server: Stopped by ${signal} during the start.\n`);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }
});
