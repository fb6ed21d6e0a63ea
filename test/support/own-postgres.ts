import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { requiredService } from './required-service.ts';
import { runOnPostgres } from './run-on-postgres.ts';

const run = promisify(execFile);

/** The folder with the programs of the newest Postgres on Debian. */
export const postgresPrograms = (() => {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')));
})();

/** The reason if tests should not or cannot start a Postgres here. Throws if `REQUIRE_SERVICES` requires one. */
export const noOwnPostgres = (() => {
  const { skip } = requiredService('TEST_POSTGRES_URL', 'Postgres');
  if (skip !== undefined) return skip;
  if (postgresPrograms !== undefined) return undefined;
  const reason = 'there is no initdb below /usr/lib/postgresql';
  if (process.env.REQUIRE_SERVICES === 'all') throw new Error(`REQUIRE_SERVICES=all, but ${reason}.`);
  return reason;
})();

/** A folder for Postgres servers that a test starts itself. */
export interface PostgresFolder {
  readonly path: string;
  /** Runs one of Postgres's programs. */
  call(program: string, ...args: string[]): Promise<unknown>;
  /** Creates a database server without authentication, and starts it. */
  make(data: string, port: number): Promise<void>;
  start(data: string, port: number): Promise<void>;
  /** Stops the server immediately, like a crash. */
  stop(data: string): Promise<void>;
  remove(): Promise<void>;
}

export async function makePostgresFolder(): Promise<PostgresFolder> {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-postgres-'));
  // Postgres does not run as root.
  const isRoot = userInfo().uid === 0;
  if (isRoot) await run('chown', ['postgres', path]);
  const call = (name: string, ...args: string[]) => {
    const program = join(postgresPrograms ?? '', name);
    return isRoot ? run('runuser', ['-u', 'postgres', '--', program, ...args]) : run(program, args);
  };
  const start = async (data: string, port: number) => {
    const options = `-p ${port} -k ${path} -c listen_addresses=127.0.0.1 -c shared_buffers=16MB -c fsync=off`;
    await call('pg_ctl', '-D', data, '-w', '-l', `${data}.log`, '-o', options, 'start');
  };
  return {
    path,
    call,
    async make(data, port) {
      await call('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync');
      await start(data, port);
    },
    start,
    stop: async (data) => void (await call('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** A Postgres server that a test starts itself. The test may change its settings. */
export interface OwnPostgres {
  readonly url: string;
  /** Changes a setting of the whole server, with immediate effect. */
  set(setting: string): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const [folder, port] = [await makePostgresFolder(), await freePort()];
  const data = join(folder.path, 'data');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const close = async () => {
    await folder.stop(data).catch(() => undefined); // It may have ended already.
    await folder.remove();
  };
  try {
    await folder.make(data, port);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    async set(setting) {
      await runOnPostgres(url, `ALTER SYSTEM SET ${setting}`);
      await runOnPostgres(url, 'SELECT pg_reload_conf()');
    },
    close,
  };
}
