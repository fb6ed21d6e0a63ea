import type pg from 'pg';
import { sharedRun } from '../../../core/shared-run.ts';
import { askOnce } from '../ask-once.ts';
import { StatementFailed } from '../statement-failed.ts';
import { isBehindPooler, isRefusedParameter, type Route, type Session, withoutSessionSettings } from './pooling.ts';

/** Timeout for connecting to one of several hosts and checking that it accepts writes, in milliseconds. */
const patience = 2_000;
/** The same timeout if there is only one host. */
const longPatience = 5_000;

/**
 * Finds the host to connect to, and whether there is a pooler in front of it. Of several hosts, takes the first that
 * accepts writes. If no host does, throws the error of the last one. Concurrent callers share one search. After a
 * pooler was found once, always returns the pooled way, which works in both cases.
 */
export function createSeeker(hosts: readonly pg.ClientConfig[]): () => Promise<Route> {
  let isPooled = false;
  async function seek(): Promise<Route> {
    let failure: unknown;
    for (const host of hosts) {
      try {
        const found = await look(host, hosts.length > 1 ? patience : longPatience);
        isPooled ||= found.isPooled;
        if (hosts.length === 1 || found.canBeWritten) {
          return isPooled
            ? { settings: withoutSessionSettings(host), way: 'pooled' }
            : { settings: host, way: 'direct' };
        }
        failure = new StatementFailed('The server is read-only.', '25006', {});
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
  return sharedRun(seek);
}

interface Seen {
  readonly isPooled: boolean;
  readonly canBeWritten: boolean;
}

async function look(host: pg.ClientConfig, limit: number): Promise<Seen> {
  try {
    return await askOn(host, limit);
  } catch (error) {
    if (!isRefusedParameter(error)) throw error;
    return { ...(await askOn(withoutSessionSettings(host), limit)), isPooled: true };
  }
}

/** On a standby, `transaction_read_only` is on. */
const question = "SELECT pg_backend_pid() AS process, current_setting('transaction_read_only') AS read_only";

async function askOn(settings: pg.ClientConfig, limit: number): Promise<Seen> {
  return await askOnce(settings, limit, async (client) => {
    const [row] = (await client.query<Session & { readonly read_only: string }>(question)).rows;
    return { isPooled: isBehindPooler(client, row), canBeWritten: row?.read_only === 'off' };
  });
}
