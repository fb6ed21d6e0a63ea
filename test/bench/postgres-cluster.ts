import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { postgresPrograms } from '../support/own-postgres.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

/** A Postgres server with default settings. Its data are in the folder, and are deleted with it. */
export interface PostgresCluster {
  readonly url: string;
  stop(): Promise<void>;
}

/** Returns `undefined` if the programs of Postgres are not installed. */
export async function startPostgres(folder: TemporaryFolder): Promise<PostgresCluster | undefined> {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const data = folder.file('postgres');
  mkdirSync(data);
  const user = unprivileged();
  if (user) {
    chownSync(dirname(data), user.uid, user.gid);
    chownSync(data, user.uid, user.gid);
  }
  const stdio = ['ignore', 'ignore', 'ignore'] as const;
  const options = { ...user, stdio: [...stdio] };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust'], options);
  const port = await freePort();
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-k', data, '-c', 'listen_addresses=127.0.0.1'],
    options,
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`Postgres ended with ${child.exitCode}.`);
    await setTimeout(50);
  }
  return {
    url,
    async stop() {
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function findPrograms(): string | undefined {
  if (postgresPrograms !== undefined) return postgresPrograms;
  return (process.env.PATH ?? '').split(':').find((folder) => existsSync(join(folder, 'initdb')));
}

/** Postgres does not run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<boolean> {
  return await runOnPostgres(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
