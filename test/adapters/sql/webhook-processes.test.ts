import { expect } from 'chai';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import type { UserId } from '../../../core/id.ts';
import { inFlight } from '../../../core/webhooks/delivery.ts';
import { lease } from '../../../core/webhooks/endpoint-turn.ts';
import { addUser } from '../../support/backends.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { runProcess } from '../../support/run-process.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { addEndpoint, addSamples } from '../../support/webhooks.ts';

const key = 'the secret of this test';
const endpoints = 20;

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`processes that deliver webhooks of one database: ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    let receiver: WebhookReceiver;
    /** How often each event arrived, and how many requests were open at the same time. */
    let arrived: Map<string, number>;
    let mostOfEvent: number;
    let mostOfEndpoint: number;
    beforeEach(async () => {
      place = await make();
      database = await place.open();
      arrived = new Map();
      mostOfEvent = mostOfEndpoint = 0;
      const open = new Map<string, number>();
      const count = (what: string, by: number) => {
        const next = (open.get(what) ?? 0) + by;
        open.set(what, next);
        return next;
      };
      receiver = await startReceiver(async (response, { path = '', headers }) => {
        const id = String(headers['webhook-id']);
        arrived.set(id, (arrived.get(id) ?? 0) + 1);
        mostOfEvent = Math.max(mostOfEvent, count(id, 1));
        mostOfEndpoint = Math.max(mostOfEndpoint, count(path, 1));
        await new Promise(setImmediate);
        count(id, -1);
        count(path, -1);
        response.writeHead(204).end();
      });
    });
    afterEach(async () => {
      await receiver[Symbol.asyncDispose]();
      await database.close();
      await place.remove();
    });

    /** Adds endpoints that each wait for this many deliveries. */
    async function fill(perEndpoint: number): Promise<void> {
      const webhooks = createSqlWebhookStore(database);
      const secret = createSecretBox(key).seal('whsec_AAAA');
      const ownerId: UserId = (await addUser({ accounts: createSqlAccountStore(database) }, 'Ada')).id;
      for (let n = 0; n < endpoints; n++) {
        const url = `http://127.0.0.1:${receiver.port}/${n}`;
        const endpoint = await addEndpoint({ webhooks }, ownerId, { url, secret, oldSecret: null });
        await addSamples({ webhooks }, endpoint, 1);
        await database.write(async (trx) => {
          const { id: eventId, ...event } = await trx('webhook_events').orderBy('id', 'desc').first();
          const { id: _, ...delivery } = await trx('webhook_deliveries').where({ event_id: eventId }).first();
          const copies = Array.from({ length: perEndpoint - 1 }, (_, copy) => ({ ...event, name: `${n}-${copy}` }));
          for (let start = 0; start < copies.length; start += 100) {
            const some = copies.slice(start, start + 100);
            const added: { id: number }[] = await trx('webhook_events').insert(some).returning('id');
            await trx('webhook_deliveries').insert(added.map(({ id }) => ({ ...delivery, event_id: id })));
          }
        });
      }
    }

    /** Runs a process, at this time, until nothing is due, or until it kills itself at this step. */
    const run = (at: number, ...step: string[]) =>
      runProcess('webhook-process.ts', place.url, key, String(at), ...step);
    const countLeft = async () => {
      const ids = await database.read((knex) =>
        knex('webhook_deliveries').whereNot({ state: 'delivered' }).pluck('id'),
      );
      return ids.length;
    };

    const few = 10;
    for (const step of ['claimed', 'sending', 'sent', 'settled']) {
      it(`lose nothing if one is killed when it has ${step}; an event that comes twice has the same id`, async () => {
        await fill(few);
        expect(await run(now, step)).to.equal('SIGKILL');
        const before = [...arrived.values()].reduce((sum, one) => sum + one, 0);
        // Until the lease ends, nobody sends to the endpoints of the killed process.
        expect(await run(now + lease - 1)).to.equal(0);
        expect([...arrived.values()].reduce((sum, one) => sum + one, 0)).to.equal(before);
        expect(await run(now + lease)).to.equal(0);
        expect(await countLeft()).to.equal(0);
        expect(arrived.size).to.equal(few * endpoints);
        expect(Math.max(...arrived.values())).to.be.at.most(2);
        if (step === 'claimed') expect(new Set(arrived.values())).to.deep.equal(new Set([1]));
      });
    }

    it('send every event once, never two at the same time, and few at once to each endpoint', async () => {
      const perEndpoint = 40;
      await fill(perEndpoint);
      // On a machine that is overloaded, a process leaves an endpoint alone until its lease ends.
      for (let at = now; at < now + 5 * lease && (await countLeft()) > 0; at += lease) {
        expect(await Promise.all([run(at), run(at), run(at)])).to.deep.equal([0, 0, 0]);
      }
      expect(arrived.size).to.equal(perEndpoint * endpoints);
      expect(new Set(arrived.values())).to.deep.equal(new Set([1]));
      expect(mostOfEvent).to.equal(1);
      expect(mostOfEndpoint).to.be.at.most(inFlight);
      expect(await countLeft()).to.equal(0);
    });
  });
}
