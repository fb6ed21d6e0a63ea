import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { createSqlLicenseImports } from '../../adapters/sql/imports/license-imports.ts';
import { createSqlAccountStore } from '../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/stores/audit-log.ts';
import { createSqlLicenseAliases } from '../../adapters/sql/stores/license-aliases.ts';
import { createSqlLicenseStore } from '../../adapters/sql/stores/license-store.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../adapters/sql/stores/product-store.ts';
import { createSqlWebhookStore } from '../../adapters/sql/stores/webhook-store.ts';
import { type Event, event } from '../../core/events/event.ts';
import type { AuditId, ProductId, UserId } from '../../core/id.ts';
import { createIssuing } from '../../core/licensing/issuing.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { transitProduct } from '../../core/marketplace/product-transitions.ts';
import type { Order } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { createFindLicense } from '../../core/selling/find-license.ts';
import { createLicenseKeys, type LicenseKeys } from '../../core/selling/license-keys.ts';
import { createLicenseDomains } from '../../core/selling/licenses.ts';
import type { Endpoint, Subscription } from '../../core/webhooks/endpoint.ts';
import { webhookEventTypes } from '../../core/webhooks/webhook-event.ts';
import { addUser } from '../support/backends.ts';
import { by, operator } from '../support/by.ts';
import { withoutProofs } from '../support/domain-proofs.ts';
import { good } from '../support/good.ts';
import { writeLetter } from '../support/letters.ts';
import { domain, issuedAt, must } from '../support/license-acts.ts';
import { addOrder, createBank, settleOn } from '../support/orders.ts';
import { itLong, needing } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { type SqlPlace, sqlKinds } from '../support/sql-databases.ts';
import { toldBy } from '../support/told-by.ts';
import { addEndpoint, addProductOf, noted, receivedBy } from '../support/webhooks.ts';

const hour = 3_600_000;
const hosts = ['a.example', 'b.example', 'c.example'].map(domain);
/** The first two products have an owner, the third one has none. */
const product = fc.nat({ max: 2 });
const license = fc.nat({ max: 3 });
const host = fc.constantFrom(...hosts);
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('issue' as const), product, count: fc.constantFrom(1, 1, 2, 3) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('activate' as const), license, host }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deactivate' as const), license, host }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      license,
      host,
      to: host,
      overlapHours: fc.constantFrom(0, 24),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('transit' as const),
      license,
      to: fc.constantFrom('suspend', 'reinstate', 'revoke'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rotate' as const), license }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('renew' as const), license, hours: fc.integer({ min: -1, max: 50 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      product,
      learned: fc.constantFrom<Partial<PaymentFacts>>(
        { status: 'paid' },
        { status: 'paid', refunded: 2000 },
        { status: 'paid', refunded: 4990, dispute: 'open' },
        { status: 'failed' },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      product,
      to: fc.constantFrom('approve', 'reject', 'unlist', 'resubmit'),
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

type Answered = Awaited<ReturnType<LicenseKeys['rotate']>>;
const isRotated = (answer: unknown): answer is Exclude<Answered, Refused> =>
  typeof answer === 'object' && answer !== null && 'rotated' in answer;

const events = fc.oneof(fc.constant<Subscription>('*'), fc.subarray(webhookEventTypes, { minLength: 1 }));
const only = fc.option(fc.nat({ max: 1 }), { freq: 2 });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('changes' as const),
      // Together, so that some are made in one transaction.
      all: fc.array(change, { minLength: 1, maxLength: 4 }),
      fails: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      events,
      only,
      isLive: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('switch' as const), which: fc.nat({ max: 2 }) }) },
);

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`events of webhooks on ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    let fails = false;
    let users = 0;
    before(async () => {
      place = await make();
      const opened = await place.open();
      database = {
        ...opened,
        write: (work) =>
          opened.write(async (trx) => {
            const result = await work(trx);
            if (fails) throw new Error('injected');
            return result;
          }),
      };
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    itLong(
      'reach each endpoint exactly for the committed changes it subscribes to, whatever is refused or rolled back',
      async () => {
        const stores = {
          accounts: createSqlAccountStore(database),
          products: createSqlProductStore(database),
          webhooks: createSqlWebhookStore(database),
        };
        const licenses = createSqlLicenseStore(database, () => Promise.reject(new Error('not used')));
        const aliases = createSqlLicenseAliases(database);
        const audit = createSqlAuditLog(database);
        const imports = createSqlLicenseImports(database, createManualClock(issuedAt));

        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
            const clock = createManualClock(issuedAt);
            const ownerId: UserId = (await addUser(stores, `Ada ${users++}`.replace(' ', ''))).id;
            const slugs = ['one', 'two', 'ours'].map((slug) => `${slug}-${users}`);
            const products: ProductId[] = [];
            for (const [n, slug] of slugs.entries()) {
              products.push(await addProductOf(stores, n < 2 ? ownerId : null, slug));
            }
            const store = createSqlOrderStore(database);
            /** An order of each product. */
            const orders: Order[] = [];
            for (const id of products) {
              orders.push(await addOrder({ orders: store }, must(await stores.products.findById(id))));
            }
            const numberOf = ({ type, subject }: Event) => {
              if (type.startsWith('product.')) return slugs.indexOf(subject);
              return type.startsWith('order.')
                ? orders.findIndex(({ id }) => subject === String(id))
                : issued.get(subject);
            };
            const issuing = createIssuing({
              store: licenses,
              imports,
              products: stores.products,
              clock,
              secrets: systemSecrets,
            });
            const licensing = createLicensing({
              store: licenses,
              aliases,
              ...withoutProofs,
              clock,
            });
            const domains = createLicenseDomains({ store: licenses, clock });
            const seller = { actor: operator, mode: 'test' } as const;
            const search = { notesOf: async () => undefined };
            const find = createFindLicense(licenses, search, clock);
            const keys = createLicenseKeys({ store: aliases, find, clock, secrets: systemSecrets, write: writeLetter });
            /** The licenses with the numbers of their products. */
            const issued = new Map<string, number>();
            const keyOf = (n: number) => [...issued.keys()][n] ?? 'LIC-TEST-0000-0000-0000';
            const endpoints: { endpoint: Endpoint; expected: string[] }[] = [];
            let seen: AuditId | undefined = (await audit.list({ limit: 1 }))[0]?.id;

            async function make(one: Change): Promise<unknown> {
              const binding = 'host' in one ? { licenseKey: keyOf(one.license), domain: one.host } : undefined;
              switch (one.kind) {
                case 'issue': {
                  const terms = {
                    productId: must(products[one.product]),
                    maxDomains: 2,
                    expiresAt: issuedAt + 20 * hour,
                  };
                  return await issuing.issue(terms, one.count, operator);
                }
                case 'activate':
                  return await licensing.activate(must(binding));
                case 'deactivate':
                  return await licensing.deactivate(must(binding));
                case 'move': {
                  const asked = { from: one.host, to: one.to, overlapHours: one.overlapHours };
                  return await domains.move(keyOf(one.license), asked, seller);
                }
                case 'transit':
                  return await issuing.change(keyOf(one.license), one.to, operator);
                case 'renew':
                  return await issuing.renew(keyOf(one.license), issuedAt + one.hours * hour, operator);
                case 'rotate':
                  return await keys.rotate(keyOf(one.license), 1, seller);
                case 'order': {
                  const order = must(orders[one.product]);
                  const bank = createBank();
                  bank.set(order, one.learned);
                  return await settleOn({ orders: store, accounts: stores.accounts }, bank)(order.id);
                }
                case 'review': {
                  const types = {
                    approve: 'approved',
                    reject: 'rejected',
                    unlist: 'unlisted',
                    resubmit: 'resubmitted',
                  } as const;
                  return await stores.products.change(must(products[one.product]), (before) => {
                    const now = clock.now();
                    const after = transitProduct(before, one.to, { now, isModerator: true, reason: by.reason });
                    if (isRefused(after)) return after;
                    return { after, event: event(`product.${types[one.to]}`, before.slug, by, now) };
                  });
                }
              }
            }

            /** Reads the changes since the last call, and records which endpoints must get them. */
            async function note(): Promise<void> {
              const all = (await audit.list({ limit: 200 })).filter(({ id }) => seen === undefined || id > seen);
              seen = all[0]?.id ?? seen;
              for (const committed of all.reverse()) {
                const { type, subject } = committed;
                const number = numberOf(committed);
                if (number === undefined || number < 0 || number > 1) continue;
                for (const more of toldBy[type]?.(committed) ?? []) {
                  for (const { endpoint, expected } of endpoints) {
                    const { off, isLive, productId, events: wanted } = endpoint;
                    if (off !== null || isLive || (productId !== null && productId !== products[number])) continue;
                    if (wanted !== '*' && !wanted.some((one) => one === type)) continue;
                    expected.push(`${type} ${subject} ${slugs[number]} ${more}`);
                  }
                }
              }
            }

            for (const one of steps) {
              clock.advance(hour);
              if (one.kind === 'subscribe') {
                const productId = one.only === null ? null : must(products[one.only]);
                const fields = { events: one.events, productId, isLive: one.isLive, createdAt: clock.now() };
                endpoints.push({ endpoint: await addEndpoint(stores, ownerId, fields), expected: [] });
              } else if (one.kind === 'switch') {
                const subscribed = endpoints[one.which];
                if (subscribed === undefined) continue;
                const changed = await stores.webhooks.change(subscribed.endpoint.id, (before) => ({
                  after: { ...before, off: before.off === null ? 'seller' : null },
                  event: noted(clock.now()),
                }));
                subscribed.endpoint = good(must(changed));
              } else {
                fails = one.fails;
                await Promise.all(
                  one.all.map(async (each) => {
                    const answer = await make(each).catch((error: Error) => error.message);
                    // A look at a payment that finds nothing new writes nothing, so nothing fails.
                    const mayBeFine = each.kind === 'order';
                    if (fails && !mayBeFine) {
                      expect(answer).to.satisfy((it: unknown) => it === 'injected' || isRefused(it as object));
                    }
                    if (each.kind === 'issue' && Array.isArray(answer)) {
                      for (const key of answer) issued.set(key, each.product);
                    }
                    if (each.kind === 'rotate' && isRotated(answer)) {
                      const { formerKey } = answer.rotated;
                      issued.set(answer.shown.license.key, must(issued.get(formerKey)));
                    }
                    if (each.kind === 'order') {
                      const { licenseKey } = must(await store.find(must(orders[each.product]).id));
                      if (licenseKey !== null) issued.set(licenseKey, each.product);
                    }
                  }),
                );
                fails = false;
              }
              await note();
            }

            for (const { endpoint, expected } of endpoints) {
              const received = (await receivedBy(stores, endpoint)).map(({ event: type, data }) => {
                const { slug } = data.product as { slug: string };
                const more = type === 'license.domain_moved' ? `${data.from} ${data.to}` : (data.domain ?? '');
                return `${type} ${data.order_id ?? data.license_key ?? slug} ${slug} ${more}`;
              });
              expect(received.toSorted()).to.deep.equal(expected.toSorted());
            }
          }),
          { numRuns: runs(60) },
        );
      },
    );
  });
}
