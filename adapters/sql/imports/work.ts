import type { Knex } from 'knex';
import type { Event, KeyedRequest } from '../../../core/events/event.ts';
import { eventOfLeftOut, eventOfNew } from '../../../core/licensing/license-events.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Clash, LeftOut, LicenseImport, Origin } from '../../../core/ports/license-imports.ts';
import type { Database } from '../database.ts';
import { lockKeys } from '../key-lock.ts';
import { keepImported, settleUndone } from '../keyed-requests.ts';
import { createShortTurns, within } from '../paced-writes.ts';
import { record } from '../stores/audit-log.ts';
import {
  drop,
  findingFaults,
  forget,
  hostsOf,
  type ImportLineRow,
  licenseOf,
  moving,
  nextLines,
  staging,
} from './lines.ts';
import { forgetOwner, lease, leaseTime, type OwnerRow } from './owner.ts';

export interface ImportRow extends OwnerRow {
  readonly id: number;
  readonly origin: string;
  /**
   * `staging`: no license is visible yet, and the import can be undone. `applying`: the import can no longer be undone,
   * and must be completed.
   */
  readonly state: 'staging' | 'applying';
  readonly actor: string;
  readonly reason: string | null;
  readonly at: number;
  /** The request with an idempotency key that sent the file, if there is one. It holds its key until the import ends. */
  readonly request_key: string | null;
  readonly request_owner: string | null;
  /** The number of lines that are staged. Complete when the import is `applying`. */
  readonly staged: number;
  /** Of these, how many were added and how many left out. */
  readonly added: number;
  readonly left_out: number;
  /** The lines of the file that were no licenses to import. */
  readonly passed_over: number;
}

export const table = 'license_imports';

/** The rows of the first turn, and the fewest of any. On SQLite, verifications wait for a turn: 500 rows would take more than 150 ms. */
const size = { fewest: 100 } as const;

interface Undoing {
  readonly isAsked?: boolean;
  readonly event?: Event | undefined;
}

export type Work = ReturnType<typeof workOn>;

/** The steps of an import that this process owns. They throw `ImportLost` if it does not own the import any more. */
export function workOn(database: Database, clock: Clock, row: ImportRow) {
  const { id, owner, origin, actor, reason, at, request_key: key, request_owner } = row;
  const request = key !== null && request_owner !== null ? { key, owner: request_owner } : undefined;
  const { read, write } = database;
  const turns = createShortTurns(database, size);
  const by = { actor, reason: reason ?? undefined };

  const alive = (trx: Knex.Transaction) => ({ leased_until: leaseTime(trx, clock, lease) });

  async function hold(trx: Knex.Transaction, state: ImportRow['state'], change: object = {}) {
    const kept = await trx(table)
      .where({ id, owner, state })
      .update({ ...alive(trx), ...change });
    if (kept === 0) throw new ImportLost();
  }

  // The caller may take long between two steps, so a timer renews the lease.
  const heart = setInterval(() => {
    write((trx) => trx(table).where({ id, owner }).update(alive(trx))).catch(() => undefined);
  }, lease / 3).unref();

  function letGo() {
    clearInterval(heart);
    forgetOwner({ owner });
  }

  /** Ends the import. Settles the key of its request and saves the event in the same transaction. */
  async function end(
    settle: (trx: Knex.Transaction, request: KeyedRequest, row: ImportRow) => Promise<void>,
    event?: Event,
  ) {
    await write(async (trx) => {
      if (event !== undefined) await record(trx, [event]);
      const its = trx<ImportRow>(table).where({ id, owner });
      if (request !== undefined) {
        const ending = await its.clone().forUpdate().first();
        if (ending !== undefined) await settle(trx, request, ending);
      }
      await its.delete();
    });
  }

  /** Returns a function that moves these lines in a transaction. It leaves out invalid lines and adds the others. */
  function movingAll(rows: readonly ImportLineRow[]) {
    const find = findingFaults(rows);
    const movingSome = (some: readonly ImportLineRow[]) => {
      const licenses = some.flatMap((row) => {
        const license = licenseOf(row, at);
        return license ? [{ license, domains: hostsOf(row) }] : [];
      });
      return moving(
        some,
        at,
        licenses.map(({ license }) => license),
        licenses.map(({ license, domains }) => eventOfNew[origin as Origin]({ ...license, domains }, by, at)),
      );
    };
    const move = movingSome(rows);
    return async (trx: Knex.Transaction): Promise<LeftOut[]> => {
      await hold(trx, 'applying', { added: trx.raw('added + ?', [rows.length]) });
      const faults = await find(trx);
      if (faults.length === 0) {
        await move(trx);
        return faults;
      }
      const lines = new Set(faults.map(({ line }) => line));
      await drop(trx, [...lines]);
      await trx(table).where({ id }).increment('left_out', faults.length).decrement('added', faults.length);
      await movingSome(rows.filter(({ line }) => !lines.has(line)))(trx);
      await record(
        trx,
        faults.map((fault) => eventOfLeftOut(fault, by, at)),
      );
      return faults;
    };
  }

  return {
    async stage(lines: Parameters<LicenseImport['stage']>[0]): Promise<Clash[]> {
      const clashes: Clash[] = [];
      for (let from = 0; from < lines.length; ) {
        const { some, rows } = within(turns.rows(), lines, from, ({ terms }) => terms?.hosts?.length ?? 0);
        const put = staging(some);
        const found = await turns.take(rows, async (trx) => {
          await lockKeys(trx, 'alone');
          await hold(trx, 'staging', { staged: trx.raw('staged + ?', [some.length]) });
          return await put(trx);
        });
        for (const clash of found) clashes.push(clash);
        from += some.length;
      }
      return clashes;
    },

    /** After this, the import cannot be undone. */
    async start(passedOver: number): Promise<void> {
      await turns.take(1, (trx) => hold(trx, 'staging', { state: 'applying', passed_over: passedOver }));
    },

    /** Returns whether the import is finished, and the lines that this call skipped. */
    async apply(goOn: () => boolean): Promise<{ isDone: boolean; leftOut: LeftOut[] }> {
      const leftOut: LeftOut[] = [];
      try {
        for (let last = 0; ; ) {
          if (!goOn()) return { isDone: false, leftOut };
          const found = await read((knex) => nextLines(knex, last, turns.rows()));
          const { some, rows } = within(turns.rows(), found, 0, hostsOf);
          const next = some.at(-1)?.line;
          if (next === undefined) break;
          for (const one of await turns.take(rows, movingAll(some))) leftOut.push(one);
          last = next;
        }
        await end((trx, asked, { added, left_out: leftOut, passed_over: passedOver }) =>
          keepImported(trx, asked, { added, leftOut, passedOver }),
        );
        return { isDone: true, leftOut };
      } finally {
        letGo();
      }
    },

    /**
     * Returns whether everything was undone. Does nothing and returns false if the import is already `applying`.
     * `isAsked`: whether the request of the import asks for this. `event` is saved when it is undone.
     */
    async undo(goOn: () => boolean, { isAsked = false, event }: Undoing = {}): Promise<boolean> {
      try {
        for (;;) {
          if (!goOn()) return false;
          const limit = turns.rows();
          const forgotten = await turns.take(limit, async (trx) => {
            await hold(trx, 'staging');
            return await forget(trx, limit);
          });
          if (forgotten === 0) break;
        }
        await end((trx, asked) => settleUndone(trx, asked, isAsked), event);
        return true;
      } catch (error) {
        if (error instanceof ImportLost) return false;
        throw error;
      } finally {
        letGo();
      }
    },
  };
}

/** Another process has taken over the import, because it seemed interrupted. */
class ImportLost extends Error {
  override readonly name = 'ImportLost';
  constructor() {
    super('Another process took over the import, because this process had not renewed its lease.');
  }
}
