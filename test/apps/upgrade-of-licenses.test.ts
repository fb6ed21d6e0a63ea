import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { migrations } from '../../adapters/sql/migrations/index.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Order } from '../../core/purchases/order.ts';
import { createRenewing } from '../../core/purchases/renewing.ts';
import { createLearn } from '../../core/purchases/settle.ts';
import { day } from '../../core/time.ts';
import { by, operator } from '../support/by.ts';
import { exampleOffer } from '../support/example-product.ts';
import { good } from '../support/good.ts';
import { must } from '../support/license-acts.ts';
import { licenseAnswers, oldSettings } from '../support/license-answers.ts';
import { makeDatabase, postgresServer } from '../support/postgres-backend.ts';
import { itLong, needing } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Databases of an older version, with the answers that it gave. See old/README.md.

const last = '0046-catalogue-descriptions';

async function read(name: string): Promise<Buffer> {
  return gunzipSync(await readFile(fileURLToPath(new URL(`old/0046.${name}.gz`, import.meta.url))));
}

type Recorded = Awaited<ReturnType<typeof licenseAnswers>>;
type Old = Readonly<Record<'times', number[]>> & {
  readonly licenses: Parameters<typeof licenseAnswers>[1];
  readonly answers: Recorded;
};

const kinds = [
  {
    name: 'sqlite',
    skip: undefined,
    async restore() {
      const folder = await makeTemporaryFolder();
      const file = folder.file('old.db');
      await writeFile(file, await read('sqlite'));
      return { url: `sqlite:${file}`, drop: folder.remove };
    },
  },
  {
    name: 'postgres',
    skip: postgresServer.skip,
    async restore() {
      const database = await makeDatabase();
      await runOnPostgres(database.url, (await read('postgres.sql')).toString());
      return database;
    },
  },
] as const;

/** Returns an answer without what is new in this version, which must be empty, and without the words for people. */
function asThen([request, status, body]: Recorded[number]['requests'][number]) {
  const { message: _, ...rest } = body as { message?: string; license?: Readonly<Record<string, unknown>> };
  if (rest.license === undefined) return [request, status, rest];
  const { updates_until = null, entitlements = [], ...license } = rest.license;
  expect([updates_until, entitlements]).to.deep.equal([null, []]);
  return [request, status, { ...rest, license }];
}

for (const { name, skip, restore } of kinds) {
  needing(skip).describe(`a service with licenses in every state that is upgraded: ${name}`, () => {
    let place: Awaited<ReturnType<typeof restore>>;
    let settings: Readonly<Record<string, string>>;
    let old: Old;
    beforeEach(async () => {
      old = JSON.parse((await read(`${name}.answers.json`)).toString());
      place = await restore();
      settings = { ...oldSettings, DATABASE_URL: place.url };
    });
    afterEach(() => place?.drop());

    itLong('gives the same answers about each of them, now and later', async () => {
      expect(old.licenses).to.have.lengthOf(73);
      const answers = await licenseAnswers(settings, old.licenses, old.times);
      const asked = answers.flatMap(({ key, at, requests }) => requests.map((one) => [key, at, ...asThen(one)]));
      const asThere = old.answers.flatMap(({ key, at, requests }) => requests.map((one) => [key, at, ...asThen(one)]));
      expect(asked).to.have.lengthOf(asThere.length);
      for (const [n, answer] of asked.entries()) expect(answer, String(answer[0])).to.deep.equal(asThere[n]);
      const told = new Set(asked.map(([, , request, status, body]) => JSON.stringify([request, status, body])));
      const all = [...told].join(' ');
      for (const error of ['expired', 'suspended', 'revoked', 'invalid_domain', 'domain_limit_reached']) {
        expect(all).to.include(error);
      }
    });

    itLong(
      'knows what was paid then: a refund still revokes, and a renewal counts from the end that was sold',
      async () => {
        const clock = createManualClock(must(old.times[0]));
        const parts = await compose(readConfig(settings), { clock });
        try {
          const { migrated } = await parts.get(t.database);
          const missing = migrations.map((one) => one.name);
          expect(migrated).to.deep.equal(missing.slice(missing.indexOf(last) + 1));
          const [ports, products, licenses, offers] = [
            await parts.get(t.orderPorts),
            await parts.get(t.productStore),
            await parts.get(t.licenseStore),
            await parts.get(t.productOffers),
          ];
          const learn = createLearn(ports);
          const { items } = await ports.store.search({ isLive: true, limit: 99 });
          const bought = (email: string, slug: string): Order =>
            must(items.find(({ buyer, agreed }) => buyer.email === email && agreed.slug === slug));
          const licenseOf = async ({ licenseKey }: Order) =>
            must(await licenses.find(must(licenseKey ?? undefined))).license;
          const pay = async (order: Order, payment: object) =>
            good(await learn(order.id, (before) => ({ payment: { ...before.payment, ...payment } }), by));

          const jar = bought('paid@example.com', 'jar');
          await pay(jar, { refunded: jar.payment.total });
          expect(await licenseOf(jar)).to.include({ standing: 'revoked' });
          const won = bought('disputed@example.com', 'jar');
          expect(await licenseOf(won)).to.include({ standing: 'suspended' });
          await pay(won, { dispute: 'won' });
          expect(await licenseOf(won)).to.include({ standing: 'active' });
          await pay(bought('open@example.com', 'jar'), { status: 'paid' });

          const gift = bought('paid@example.com', 'gift');
          const { expiresAt } = await licenseOf(gift);
          const more = {
            ...exampleOffer,
            slug: 'more',
            kind: 'renewal',
            duration: { days: 30, from: 'issue' },
          } as const;
          good(await offers.add('gift', more, { actor: operator, mode: 'live' }));
          const renewing = createRenewing({
            ...ports,
            ...{ products, licenses, settings: await parts.get(t.paymentSettings) },
            usdc: await parts.get(t.usdcPaying),
            limiter: createMemoryRateLimiter(clock),
          });
          const addresses = () => ({ done: 'https://example.com/done', cancelled: 'https://example.com' });
          const wish = { offer: 'more', way: 'manual', client: '192.0.2.7' } as const;
          const { order } = good(await renewing.begin(gift, wish, undefined, addresses));
          await pay(order, { status: 'paid' });
          expect(await licenseOf(gift)).to.include({ expiresAt: must(expiresAt ?? undefined) + 30 * day });
          await pay(order, { refunded: order.payment.total });
          expect(await licenseOf(gift)).to.include({ expiresAt, standing: 'active' });
        } finally {
          await parts.close();
        }
      },
    );
  });
}
