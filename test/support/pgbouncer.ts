import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { freePort } from './free-port.ts';
import { requiredService } from './required-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const pgbouncer = requiredService('TEST_PGBOUNCER', 'PgBouncer, such as /usr/sbin/pgbouncer');

export type PoolMode = 'session' | 'transaction';

/** A PgBouncer in front of one database. */
export interface PgBouncer extends AsyncDisposable {
  /** Returns the URL of the database in this pool mode. */
  url(mode: PoolMode): string;
}

/** Starts a PgBouncer with a pool for each mode. `sessions`: the number of server sessions of each pool. */
export async function startPgBouncer(
  target: string,
  sessions: Readonly<Record<PoolMode, number>>,
  settings: readonly string[] = [],
): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(target);
  const [folder, listenPort] = [await makeTemporaryFolder(), await freePort()];
  const login = `user=${username}${password ? ` password=${decodeURIComponent(password)}` : ''}`;
  const place = `host=${hostname} port=${port || 5432} dbname=${pathname.slice(1)} ${login}`;
  const pools = (['session', 'transaction'] as const).map(
    (mode) => `${mode} = ${place} pool_mode=${mode} pool_size=${sessions[mode]}`,
  );
  // The database's own name leads to the transaction pool.
  pools.push(`${pathname.slice(1)} = ${place} pool_mode=transaction pool_size=${sessions.transaction}`);
  const file = folder.file('pgbouncer.ini');
  const general = ['listen_addr = 127.0.0.1', `listen_port = ${listenPort}`, 'unix_socket_dir =', 'auth_type = any'];
  await writeFile(file, ['[databases]', ...pools, '[pgbouncer]', ...general, ...settings, ''].join('\n'));
  await chmod(folder.path, 0o755);
  await chmod(file, 0o644);
  // PgBouncer does not run as root.
  const run = [pgbouncer.url ?? '', '-q', file];
  const [program = '', ...args] = userInfo().uid === 0 ? ['setpriv', ...asPostgres, ...run] : run;
  const child = spawn(program, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
    await folder.remove();
  };
  while (!(await answers(listenPort))) {
    if (child.exitCode === null) continue;
    await folder.remove();
    throw new Error(`PgBouncer ended with ${child.exitCode}.`);
  }
  return {
    url: (mode) => `postgres://${username}@127.0.0.1:${listenPort}/${mode}`,
    [Symbol.asyncDispose]: close,
  };
}

/** `setpriv` is replaced by PgBouncer (exec), so that a signal to the child process reaches PgBouncer. */
const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
