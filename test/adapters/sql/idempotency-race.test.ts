import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { IdempotencyStore } from '../../../adapters/contracts/idempotency-store.ts';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { createSqlIdempotencyStore } from '../../../adapters/sql/stores/idempotency-store.ts';
import type { KeyedRequest } from '../../../core/events/event.ts';
import { isRefused } from '../../../core/refusal.ts';
import { postgresServer } from '../../support/postgres-backend.ts';
import { usePostgresProxy } from '../../support/postgres-proxy.ts';
import { needing } from '../../support/required-service.ts';

needing(postgresServer.skip).describe(
  'an idempotency key on Postgres that is released while another request takes it',
  () => {
    const postgres = usePostgresProxy();
    const databases: PostgresDatabase[] = [];
    let holder: IdempotencyStore;
    let taker: IdempotencyStore;
    let held: KeyedRequest;

    beforeEach(async () => {
      const open = async (url: string) => {
        const database = await openPostgres({ url, poolSize: 2, statementTimeout: 10_000 });
        databases.push(database);
        return createSqlIdempotencyStore(database);
      };
      holder = await open(postgres.url);
      taker = await open(postgres.proxy.url);
    });
    afterEach(async () => {
      for (const database of databases.splice(0)) await database.close();
    });

    const take = async (store: IdempotencyStore, fingerprint: string) => {
      const claim = { key: 'key', owner: randomUUID() };
      const taken = await store.take(claim, fingerprint, { now: 100, forgetBefore: 0, abandonedBefore: 0 });
      if (taken === undefined) held = claim;
      return taken === undefined ? 'taken' : isRefused(taken) ? taken.reason : taken;
    };

    /** Returns the result of `take` if `happens` runs after it found the key taken, and before it reads the owner. */
    async function takeDuring(fingerprint: string, happens: () => Promise<unknown>) {
      const reading = postgres.proxy.hold('select * from "idempotency"');
      const told = take(taker, fingerprint);
      const goOn = await reading;
      await happens();
      goOn();
      return await told;
    }

    for (const fingerprint of ['the same', 'a different one']) {
      it(`is taken, if the request is ${fingerprint}`, async () => {
        await take(holder, 'the same');
        expect(await takeDuring(fingerprint, () => holder.release(held))).to.equal('taken');
        expect(await take(holder, fingerprint)).to.equal('in_flight');
        expect(await take(holder, 'a third')).to.equal('key_reused');
      });
    }

    it('is refused with the correct reason, if a third request has taken it first', async () => {
      await take(holder, 'first');
      const others = async () => {
        await holder.release(held);
        await take(holder, 'third');
      };
      expect(await takeDuring('third', others)).to.equal('in_flight');
      expect(await takeDuring('fourth', others)).to.equal('key_reused');
    });
  },
);
