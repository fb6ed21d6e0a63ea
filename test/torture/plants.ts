/** Bugs that the checker must find. Each changes the SQL of the server in this process. */
import pg from 'pg';
import sqlite3 from 'sqlite3';
import type { DatabaseKind } from './house.ts';
import type { Blow } from './storm.ts';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Rewrites the SQL text in the first argument of a method: a string, or an object that contains one. */
function rewrite(prototype: object, method: string, change: (sql: string) => string): void {
  const original = Reflect.get(prototype, method) as AnyFunction;
  Reflect.set(prototype, method, function (this: unknown, first: unknown, ...rest: unknown[]) {
    let changed = first;
    if (typeof first === 'string') changed = change(first);
    else if (typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string') {
      Reflect.set(first, 'text', change(first.text));
    }
    return original.call(this, changed, ...rest);
  });
}

const forUpdate = /\bfor update\b(?: of "\w+")?/i;

export interface Planted {
  /** The databases on which the bug can be found. */
  readonly databases: readonly DatabaseKind[];
  /** The disturbances that are needed to find the bug. */
  readonly blows: readonly Blow[];
  plant(): void;
}

export const plants = {
  /** A row that is read in order to change it is not locked between the read and the write. */
  'no-lock': {
    databases: ['sqlite', 'postgres'],
    blows: [],
    plant() {
      rewrite(pg.Client.prototype, 'query', (sql) => sql.replace(forUpdate, ''));
      // In SQLite the transaction is the lock.
      for (const method of ['exec', 'all', 'run', 'get', 'each']) {
        rewrite(sqlite3.Database.prototype, method, (sql) =>
          sql.replace(/^(?:BEGIN|COMMIT|ROLLBACK)\b.*$/i, 'SELECT 1'),
        );
      }
    },
  },
  /** Verifications are counted even if the license has changed since it was read. */
  'no-guard': {
    databases: ['sqlite', 'postgres'],
    blows: [],
    plant() {
      rewrite(pg.Client.prototype, 'query', (sql) => sql.replace('AND a.license_version = asked.version', ''));
      rewrite(sqlite3.Database.prototype, 'prepare', (sql) => sql.replace('AND license_version = r.value ->> 3', ''));
    },
  },
  /** If another session has locked a domain, its verification is answered as valid but not counted. */
  'held-lost': {
    databases: ['postgres'],
    blows: ['hold'],
    plant() {
      rewrite(pg.Client.prototype, 'query', (sql) =>
        sql.replace('(SELECT place FROM added) AS added', '(SELECT place FROM there) AS added'),
      );
    },
  },
} satisfies Record<string, Planted>;

export type Plant = keyof typeof plants;
export const plantNames = Object.keys(plants) as Plant[];

export function isPlant(name: string): name is Plant {
  return name in plants;
}

/** Throws if no bug has this name. */
export function plant(name: string | undefined): void {
  if (name === undefined || !isPlant(name))
    throw new Error(`There is no such bug; there are ${plantNames.join(', ')}.`);
  plants[name].plant();
}
