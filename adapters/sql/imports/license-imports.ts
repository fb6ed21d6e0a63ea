import type { By } from '../../../core/events/event.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { LeftOut, LicenseImport, LicenseImports, Origin } from '../../../core/ports/license-imports.ts';
import { refuse } from '../../../core/refusal.ts';
import { retryAfter } from '../../../core/selling/import-turns.ts';
import { type Database, returned } from '../database.ts';
import { lockKeys } from '../key-lock.ts';
import { markChanged } from '../keyed-requests.ts';
import { record } from '../stores/audit-log.ts';
import { comparing } from './clashes.ts';
import { forgetOwner, isAtWork, lease, leaseTime, newOwner } from './owner.ts';
import { type ImportRow, table, type Work, workOn } from './work.ts';

/** Stages the lines of imports in a separate table, and moves them from there in short transactions. */
export function createSqlLicenseImports(database: Database, clock: Clock): LicenseImports {
  const { read, write } = database;

  async function begin(origin: Origin, { actor, reason, request }: By, at: number) {
    const owner = newOwner();
    const row = await write(async (trx) => {
      await lockKeys(trx, 'alone');
      if ((await trx(table).first('id')) !== undefined) return undefined;
      if (request !== undefined) await markChanged(trx, request);
      const state = 'staging' as const;
      const asked = request && { request_key: request.key, request_owner: request.owner };
      return returned<ImportRow>(
        await trx(table)
          .insert({
            origin,
            state,
            actor,
            reason: reason ?? null,
            at,
            ...asked,
            ...owner,
            leased_until: leaseTime(trx, clock, lease),
          })
          .returning('*'),
      );
    }).catch((error: unknown) => {
      forgetOwner(owner);
      throw error;
    });
    if (row === undefined) forgetOwner(owner);
    return row;
  }

  /** Makes this process the owner of an interrupted import. Returns `undefined` if another process was faster. */
  async function claim(row: ImportRow): Promise<ImportRow | undefined> {
    const owner = newOwner();
    const { id, owner: before } = row;
    const claimed = await write((trx) =>
      trx(table)
        .where({ id, owner: before })
        .update({ ...owner, leased_until: leaseTime(trx, clock, lease) }),
    );
    if (claimed > 0) return { ...row, ...owner };
    forgetOwner(owner);
    return undefined;
  }

  /** Gives a lease its usual length again, if it would last too long because the clock was set back. */
  async function shorten({ id, owner, leased_until }: ImportRow): Promise<void> {
    await write((trx) =>
      trx(table)
        .where({ id, owner, leased_until })
        .update({ leased_until: leaseTime(trx, clock, lease) }),
    );
  }

  async function recover(goOn: () => boolean) {
    const recovered = { undone: 0, finished: 0, leftOut: [] as LeftOut[] };
    const rows: (ImportRow & { now: number })[] = await read((knex) =>
      knex(table)
        .select('*', { now: leaseTime(knex, clock) })
        .orderBy('id'),
    );
    for (const { now, ...row } of rows) {
      if (row.leased_until > now + lease) await shorten(row);
      const claimed = isAtWork(row, now) ? undefined : await claim(row);
      if (claimed === undefined) continue;
      const work = workOn(database, clock, claimed);
      if (row.state === 'staging') {
        if (!(await work.undo(goOn))) break;
        recovered.undone++;
        continue;
      }
      const { isDone, leftOut } = await work.apply(goOn);
      for (const one of leftOut) recovered.leftOut.push(one);
      if (!isDone) break;
      recovered.finished++;
    }
    return recovered;
  }

  return {
    recover,

    async begin(origin, by, at) {
      await recover(() => true);
      const row = await begin(origin, by, at);
      if (row === undefined) {
        return refuse('import_running', 'Another import is running. Wait until it has finished.', {
          retry_after: retryAfter,
        });
      }
      return importOf(workOn(database, clock, row));
    },

    check() {
      const compare = comparing();
      return {
        compare: async (lines) => {
          const find = compare(lines);
          return await read(find);
        },
        async end(event) {
          if (event !== undefined) await write((trx) => record(trx, [event]));
        },
      };
    },
  };
}

function importOf({ stage, start, apply, undo }: Work): LicenseImport {
  let staged = 0;
  return {
    async stage(lines) {
      const clashes = await stage(lines);
      staged += lines.length;
      return clashes;
    },
    async finish(passedOver = 0) {
      await start(passedOver);
      const { leftOut } = await apply(() => true);
      return { added: staged - leftOut.length, leftOut, passedOver };
    },
    async undo(event) {
      await undo(() => true, { isAsked: true, event });
    },
  };
}
