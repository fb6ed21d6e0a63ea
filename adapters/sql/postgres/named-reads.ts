import type pg from 'pg';
import { codeOf } from '../../system-error.ts';

/** Marks a read whose text comes again and again. Only for reads outside of transactions. */
export interface KeptText {
  /** A name that no other text has. */
  readonly keepAs: string;
}

/** How many prepared statements a session keeps. */
const most = 200;

/**
 * The result has other columns than when the statement was prepared: a newer version has migrated the database. Or the session has
 * forgotten its statements, for example because of a pooler that was not recognized.
 */
const stale: readonly unknown[] = ['0A000', '26000'];

type Done = (error: Error | null, result?: pg.QueryResult) => void;

/**
 * Makes a session prepare each marked read once: Postgres parses and plans it only then, and its text is not sent again. Only
 * for direct connections, because a pooler gives its sessions to others.
 */
export function nameReads(connection: pg.ClientBase): void {
  const { query } = connection;
  const names = new Set<string>();
  let generation = 0;
  const send = (config: object, done: unknown) => Reflect.apply(query, connection, [config, done]);

  Object.assign(connection, {
    query(config: unknown, done: unknown, ...rest: unknown[]) {
      if (!isKept(config) || typeof done !== 'function') {
        return Reflect.apply(query, connection, [config, done, ...rest]);
      }
      if (!names.has(config.keepAs) && names.size >= most) return send(config, done);
      names.add(config.keepAs);
      const sentIn = generation;
      const told: Done = (error, result) => {
        if (!stale.includes(codeOf(error))) return done(error, result);
        // Reads that were sent at the same time fail in the same way. They all get the next names.
        if (sentIn === generation) generation += 1;
        send(config, done);
      };
      return send({ ...config, name: `${config.keepAs}-${generation}` }, told);
    },
  });
}

function isKept(config: unknown): config is KeptText {
  return typeof config === 'object' && config !== null && 'keepAs' in config;
}
