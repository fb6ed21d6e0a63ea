import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { KeyLost } from '../../../adapters/contracts/idempotency-store.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlImportProgress } from '../../../adapters/sql/imports/import-progress.ts';
import { createSqlLicenseImports } from '../../../adapters/sql/imports/license-imports.ts';
import { createSqlAuditLog } from '../../../adapters/sql/stores/audit-log.ts';
import { createSqlIdempotencyStore } from '../../../adapters/sql/stores/idempotency-store.ts';
import type { By, KeyedRequest } from '../../../core/events/event.ts';
import { toProductId } from '../../../core/id.ts';
import type { ImportLine, LicenseImport } from '../../../core/ports/license-imports.ts';
import { isRefused } from '../../../core/refusal.ts';
import { by } from '../../support/by.ts';
import { issuedAt, keyNumber } from '../../support/license-acts.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const gone = { owner: 'gone', leased_until: 0 };

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`imports of licenses on ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    let other: Database;
    let lines: ImportLine[];
    before(async () => {
      place = await make();
      [database, other] = [await place.open(), await place.open()];
      const product = { id: 1, slug: 'jar', title: 'Jar', created_at: 1 };
      await database.write(async (trx) => await trx('products').insert(product));
    });
    after(async () => {
      await Promise.all([database?.close(), other?.close()]);
      await place?.remove();
    });
    let number = 0;
    beforeEach(() => {
      const terms = { productId: toProductId(1), standing: 'active', maxDomains: 1, expiresAt: null } as const;
      lines = Array.from({ length: 4_000 }, (_, index) => ({ line: index + 1, key: keyNumber(++number), terms }));
    });

    const begin = async (who: By = by): Promise<LicenseImport> => {
      const begun = await createSqlLicenseImports(database, systemClock).begin('imported', who, issuedAt);
      if (isRefused(begun)) throw new Error(begun.detail);
      return begun;
    };
    /** Makes the running import look as if its process had ended. */
    const breakOff = (change: object = {}) =>
      database.write((trx) => trx('license_imports').update({ ...gone, ...change }));
    const hostOfOwner = async () => String((await database.read((knex) => knex('license_imports').first('host'))).host);
    const recover = (goOn = () => true) => createSqlLicenseImports(other, systemClock).recover(goOn);
    const count = async (table: string) => {
      const rows = await database.read((knex) => knex(table).count({ rows: '*' }));
      return Number(rows[0]?.rows);
    };
    const adding = async () => {
      const before = { licenses: await count('licenses'), events: await count('audit_log') };
      return async () => ({
        licenses: (await count('licenses')) - before.licenses,
        events: (await count('audit_log')) - before.events,
        staged: await count('license_import_lines'),
        running: await count('license_imports'),
      });
    };

    itLong('let others write many times while they stage lines and while they add licenses', async () => {
      const writes = { staging: 0, adding: 0 };
      let doing: keyof typeof writes | undefined = 'staging';
      const writing = (async () => {
        while (doing !== undefined) {
          const during: keyof typeof writes = doing;
          await other.write((trx) => trx('products').update({ title: during }));
          writes[during]++;
        }
      })();
      const { stage, finish } = await begin();
      await stage(lines);
      doing = 'adding';
      await finish();
      doing = undefined;
      await writing;
      expect(writes.staging).to.be.above(4);
      expect(writes.adding).to.be.above(4);
    });

    itLong('are undone if their process ended while it staged lines', async () => {
      const added = await adding();
      await (await begin()).stage(lines);
      await breakOff();
      expect(await recover()).to.deep.equal({ undone: 1, finished: 0, leftOut: [] });
      expect(await added()).to.deep.equal({ licenses: 0, events: 0, staged: 0, running: 0 });
    });

    itLong('are finished if their process ended later, also in several steps', async () => {
      const added = await adding();
      await (await begin()).stage(lines);
      await breakOff({ state: 'applying' });
      let goes = 2;
      expect(await recover(() => goes-- > 0)).to.deep.equal({ undone: 0, finished: 0, leftOut: [] });
      const { licenses, events, staged } = await added();
      expect(licenses).to.be.within(1, lines.length - 1);
      expect([events, staged]).to.deep.equal([licenses, lines.length - licenses]);
      await breakOff();
      expect(await recover()).to.deep.equal({ undone: 0, finished: 1, leftOut: [] });
      expect(await added()).to.deep.equal({ licenses: lines.length, events: lines.length, staged: 0, running: 0 });
    });

    itLong(
      'are finished without lines that can no longer become a license, and do not block the next import',
      async () => {
        await (await begin()).stage(lines.slice(0, 5));
        const [taken, , orphan, , bare] = lines.map(({ line, key }) => ({ line, key }));
        const license = { standing: 'active', max_domains: 1, created_at: 1 };
        await database.write(async (trx) => {
          await trx('licenses').insert({ ...license, key: taken?.key, product_id: 1 });
          await trx('license_import_lines').where({ line: orphan?.line }).update({ product_id: 999 });
          await trx('license_import_lines').where({ line: bare?.line }).update({ max_domains: null });
        });
        const added = await adding();
        await breakOff({ state: 'applying' });
        const leftOut = [
          { ...taken, why: 'key_taken' },
          { ...orphan, why: 'no_product' },
          { ...bare, why: 'no_terms' },
        ];
        expect(await recover()).to.deep.equal({ undone: 0, finished: 1, leftOut });
        expect(await added()).to.deep.equal({ licenses: 2, events: 5, staged: 0, running: 0 });
        const [told, ...others] = await createSqlAuditLog(database).list({ subject: taken?.key, limit: 9 });
        expect(others).to.deep.equal([]);
        expect(told).to.deep.include({ type: 'license.left_out', ...by, data: { line: 1, why: 'key_taken' } });
        const { stage, finish } = await begin();
        await stage(lines.slice(5, 9));
        expect(await finish()).to.deep.equal({ added: 4, leftOut: [], passedOver: 0 });
      },
    );

    it('are not recovered while their process runs on this machine, or for a minute if it is on another', async () => {
      const { stage, undo } = await begin();
      await stage(lines.slice(0, 9));
      const soon = Date.now() + 30_000;
      const change = (to: object) => database.write((trx) => trx('license_imports').update(to));
      const host = await hostOfOwner();
      const elsewhere = ['elsewhere', ...(process.platform === 'linux' ? [hostname(), `${host.slice(0, -2)}0]`] : [])];
      const gonePid = { pid: 4_194_305 }; // Linux never uses a number as high as this.
      for (const alive of [{ host, pid: process.ppid }, ...elsewhere.map((other) => ({ host: other, ...gonePid }))]) {
        await change({ owner: 'another', leased_until: soon, ...alive });
        expect(await recover()).to.deep.equal({ undone: 0, finished: 0, leftOut: [] });
      }
      await change({ leased_until: Date.now() - 1 });
      expect(await recover()).to.deep.equal({ undone: 1, finished: 0, leftOut: [] });
      await undo();
    });

    it('have a lease that is measured by one clock, and that ends in time also if the clock was set back', async () => {
      const wrong = createManualClock(Date.now() - 3_600_000);
      const clock = name === 'Postgres' ? wrong : systemClock;
      const begun = await createSqlLicenseImports(database, clock).begin('imported', by, issuedAt);
      if (isRefused(begun)) throw new Error(begun.detail);
      const leasedUntil = async () =>
        Number((await database.read((knex) => knex('license_imports').first('leased_until'))).leased_until);
      const isInTime = (until: number) => Math.abs(until - (Date.now() + 60_000)) < 30_000;
      expect(await leasedUntil()).to.satisfy(isInTime);
      const later = { owner: 'another', host: 'elsewhere', leased_until: Date.now() + 86_400_000 };
      await database.write((trx) => trx('license_imports').update(later));
      expect(await createSqlLicenseImports(other, clock).recover(() => true)).to.include({ undone: 0, finished: 0 });
      expect(await leasedUntil()).to.satisfy(isInTime);
      await breakOff();
      expect(await recover()).to.include({ undone: 1 });
    });

    describe('of a request with an idempotency key', () => {
      let request: KeyedRequest;
      /** Takes the key for the same request as long after the first one as the answers of requests are kept. */
      const take = async (owner: string = randomUUID()) => {
        const times = { now: issuedAt, forgetBefore: issuedAt, abandonedBefore: Number.MAX_SAFE_INTEGER };
        const taken = await createSqlIdempotencyStore(other).take({ ...request, owner }, 'file', times);
        return taken === undefined ? 'taken' : isRefused(taken) ? taken.reason : taken;
      };
      const answer = (imported: number, left_out = 0) => ({
        kind: 'known',
        body: JSON.stringify({ success: true, imported, left_out, passed_over: 0 }),
      });
      const progress = () =>
        createSqlImportProgress(other)(request.key, { forgetBefore: issuedAt, abandonedBefore: issuedAt });
      const beginFor = () => begin({ ...by, request });
      beforeEach(async () => {
        request = { key: `1:live:import-licenses:${randomUUID()}`, owner: randomUUID() };
        expect(await progress()).to.equal(undefined);
        expect(await take(request.owner)).to.equal('taken');
      });

      it('keep its key until they are undone. Then the same request starts again', async () => {
        await (await beginFor()).stage(lines.slice(0, 9));
        await breakOff();
        expect(await take()).to.equal('in_flight');
        expect(await progress()).to.deep.equal({ state: 'checking', lines: 9, added: 0, leftOut: 0, passedOver: 0 });
        await recover();
        expect(await progress()).to.equal(undefined);
        expect(await take()).to.equal('taken');
      });

      itLong('keep its key until they are finished. Then the same request gets their answer', async () => {
        await (await beginFor()).stage(lines);
        await breakOff({ state: 'applying' });
        let goes = 2;
        await recover(() => goes-- > 0);
        expect(await take()).to.equal('in_flight');
        const { added = 0, ...rest } = { ...((await progress()) as { added?: number }) };
        expect(added).to.be.within(1, lines.length - 1);
        expect(rest).to.deep.equal({ state: 'adding', lines: lines.length, leftOut: 0, passedOver: 0 });
        await breakOff();
        await recover();
        expect(await take()).to.deep.equal(answer(lines.length));
        expect(await progress()).to.deep.equal({ state: 'ended', answer: answer(lines.length) });
      });

      it('count in its answer the lines that were left out', async () => {
        await (await beginFor()).stage(lines.slice(0, 5));
        await database.write((trx) => trx('license_import_lines').where({ line: 2 }).update({ product_id: 999 }));
        await breakOff({ state: 'applying' });
        await recover();
        expect(await take()).to.deep.equal(answer(4, 1));
      });

      it('have given it its answer when they are finished, so that it does not matter if its process ends then', async () => {
        const { stage, finish } = await beginFor();
        await stage(lines.slice(0, 5));
        await finish();
        expect(await take()).to.deep.equal(answer(5));
      });

      it('replace an unknown answer with the right one', async () => {
        await (await beginFor()).stage(lines.slice(0, 5));
        await createSqlIdempotencyStore(database).keep(request, { kind: 'unknown' });
        await breakOff({ state: 'applying' });
        expect(await take()).to.equal('in_flight');
        await recover();
        expect(await take()).to.deep.equal(answer(5));
      });

      it('give the key back to it if it undoes them itself', async () => {
        const { stage, undo } = await beginFor();
        await stage(lines.slice(0, 5));
        await undo();
        expect(await createSqlIdempotencyStore(database).release(request)).to.equal('freed');
        expect(await take()).to.equal('taken');
      });

      it('are not begun if it has lost its key', async () => {
        expect(await take()).to.equal('taken');
        expect(await beginFor().catch((error: unknown) => error)).to.be.instanceOf(KeyLost);
        expect(await count('license_imports')).to.equal(0);
      });

      it('leave its answer unknown if they vanish, such as if an older version finishes them', async () => {
        await (await beginFor()).stage(lines.slice(0, 5));
        await database.write(async (trx) => {
          await trx('license_import_lines').delete();
          await trx('license_imports').delete();
        });
        expect(await take()).to.deep.equal({ kind: 'unknown' });
      });
    });

    it('throw an error and add nothing if another process has taken them over', async () => {
      const added = await adding();
      const { stage, finish, undo } = await begin();
      await stage(lines.slice(0, 9));
      await breakOff();
      await recover();
      const outcome = await finish().catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(Error).with.property('message').that.includes('Another process took over');
      await undo();
      expect(await added()).to.deep.equal({ licenses: 0, events: 0, staged: 0, running: 0 });
    });
  });
}
