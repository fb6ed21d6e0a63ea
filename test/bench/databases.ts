import { randomUUID } from 'node:crypto';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { startPostgres } from './postgres-cluster.ts';
import { commandOf, familyOf, parentOf } from './processor-time.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** Creates databases, which are deleted at the end. */
export interface Databases extends AsyncDisposable {
  readonly kinds: readonly DatabaseKind[];
  /** Returns the URL of a new, empty database. */
  create(kind: DatabaseKind): Promise<string>;
  /** The ids of the database's own processes at present. Empty if it has none, or if they run on another machine. */
  processesOf(kind: DatabaseKind): readonly number[];
}

/** Opens SQLite, and Postgres: the server of `TEST_POSTGRES_URL`, or a new one if its programs are installed. */
export async function openDatabases(folder: TemporaryFolder): Promise<Databases> {
  const given = process.env.TEST_POSTGRES_URL;
  const cluster = given ? undefined : await startPostgres(folder);
  const server = given ?? cluster?.url;
  const postmaster = server === undefined ? undefined : await findPostmaster(server);
  const made: string[] = [];
  return {
    kinds: server === undefined ? ['sqlite'] : ['sqlite', 'postgres'],
    async create(kind) {
      const name = `bench_${randomUUID().replaceAll('-', '')}`;
      if (kind === 'sqlite') return `sqlite:${folder.file(`${name}.db`)}`;
      if (server === undefined) throw new Error('There is no Postgres server.');
      await runOnPostgres(server, `CREATE DATABASE ${name}`);
      made.push(name);
      const url = new URL(server);
      url.pathname = name;
      return url.href;
    },
    processesOf: (kind) => (kind === 'postgres' && postmaster !== undefined ? familyOf(postmaster) : []),
    async [Symbol.asyncDispose]() {
      if (given) for (const name of made) await runOnPostgres(given, `DROP DATABASE ${name} WITH (FORCE)`);
      await cluster?.stop();
    },
  };
}

/** Returns the main process of a Postgres server, if the server runs on this machine and the system shows it. */
async function findPostmaster(server: string): Promise<number | undefined> {
  const { rows } = await runOnPostgres(server, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
  const checkpointer = Number(rows[0]?.pid);
  // If the server runs elsewhere or in a container, this number belongs to no process here, or to another one.
  return commandOf(checkpointer)?.includes('checkpointer') ? parentOf(checkpointer) : undefined;
}
