import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { makePostgresFolder } from './own-postgres.ts';
import { runOnPostgres } from './run-on-postgres.ts';

/** A Postgres server and its standby, both started by the test. */
export interface PostgresPair {
  /** The URL with both hosts. The original primary comes first. */
  readonly url: string;
  readonly primary: string;
  readonly standby: string;
  /** Stops the primary immediately, like a crash. */
  crash(): Promise<void>;
  /** Promotes the standby. Resolves when it is the primary. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

/** Starts both servers. `isSynchronous`: each commit on the primary waits for the standby. */
export async function startPostgresPair(isSynchronous: boolean): Promise<PostgresPair> {
  const folder = await makePostgresFolder();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  const url = (host: string) => `postgres://postgres@${host}/postgres`;
  const hosts = [firstPort, secondPort].map((port) => `127.0.0.1:${port}`);
  const [primary = '', standby = ''] = hosts.map(url);
  const close = async () => {
    for (const data of [first, second]) await folder.stop(data).catch(() => undefined); // It may have ended already.
    await folder.remove();
  };
  try {
    await folder.make(first, firstPort);
    const from = ['-h', '127.0.0.1', '-p', String(firstPort), '-U', 'postgres'];
    await folder.call('pg_basebackup', ...from, '-D', second, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
    await folder.start(second, secondPort);
    const state = async () =>
      (await runOnPostgres(primary, 'SELECT state, sync_state FROM pg_stat_replication')).rows[0];
    if (isSynchronous) {
      await runOnPostgres(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await runOnPostgres(primary, 'SELECT pg_reload_conf()');
      await eventually('the standby is synchronous', async () => (await state())?.sync_state === 'sync');
    }
    await eventually('the standby follows', async () => (await state())?.state === 'streaming');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `${url(hosts.join(','))}?target_session_attrs=read-write`,
    primary,
    standby,
    crash: () => folder.stop(first),
    promote: async () => void (await folder.call('pg_ctl', '-D', second, '-w', 'promote')),
    close,
  };
}
