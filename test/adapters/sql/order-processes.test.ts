import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../../adapters/sql/stores/audit-log.ts';
import { createSqlCouponStore } from '../../../adapters/sql/stores/coupon-store.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import type { OrderRow } from '../../../adapters/sql/stores/order-rows.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import type { UserId } from '../../../core/id.ts';
import { grantIn, grantOf } from '../../../core/licensing/periods.ts';
import type { Offer } from '../../../core/marketplace/offers.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import { day } from '../../../core/time.ts';
import { lease } from '../../../core/work/work.ts';
import { addUser } from '../../support/backends.ts';
import { addBundle, createBundleShop } from '../../support/bundles.ts';
import { must, issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder, createBank, newOrder, settleOn } from '../../support/orders.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { runProcess } from '../../support/run-process.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { addEndpoint } from '../../support/webhooks.ts';

const steps = [
  'before the answer of the bank',
  'before the commit',
  'after the commit',
  'before the work is settled',
  'after the work is settled',
];

/** The steps of a buyer who opens a renewal or an upgrade. Nothing is paid yet. */
const ordering = [
  'after orders are written',
  'after audit_log are written',
  'after work are written',
  'before the commit',
  'after the commit',
  'before the page of the bank is known',
].map((step) => `ordering: ${step}`);

/** The steps of what follows its payment, in their order. */
const paying = [
  'before the answer of the bank',
  'after licenses are written',
  'after license_periods are written',
  'after order_numbers are written',
  'after orders are written',
  'after audit_log are written',
  'after webhook_deliveries are written',
  'after mails are written',
  'after notifications are written',
  'before the commit',
  'after the commit',
  'before the work is settled',
  'after the work is settled',
];

const sold: Offer = {
  ...{ slug: 'solo', name: 'Solo', kind: 'once', price: 4_000, maxDomains: 2, duration: { days: 100, from: 'issue' } },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
};
const more: Offer = { ...sold, slug: 'more', name: 'More', kind: 'renewal', price: 3_000 };
const team: Offer = { ...sold, slug: 'team', name: 'Team', kind: 'upgrade', price: 9_000, maxDomains: 10 };

/** What a license has after the payment, on its tenth day. */
const paidFor = {
  more: { expiresAt: now + 200 * day, maxDomains: 2 },
  team: { expiresAt: now + 110 * day, maxDomains: 10 },
};
const kills = [
  ...[...ordering, ...paying].map((step) => ({ offer: 'more', step }) as const),
  ...paying.filter((step) => /license|commit/.test(step)).map((step) => ({ offer: 'team', step }) as const),
];

/** The steps of the payment of a bundle of two products. Each of them is written as an order of its own, before that of the bundle. */
const bundled = [
  'after licenses are written',
  'after licenses are written × 2',
  'after orders are written × 2',
  'after orders are written × 3',
  'after mails are written',
  'before the commit',
  'after the commit',
];
/** The steps of a refund of one of them. */
const refunding = [
  'after licenses are written',
  'after orders are written',
  'after orders are written × 2',
  'after mails are written',
  'before the commit',
  'after the commit',
];

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`a process that is killed while it delivers an order: ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    before(async () => {
      place = await make();
      database = await place.open();
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    const run = (at: number, ...others: string[]) => runProcess('order-process.ts', place.url, String(at), ...others);
    const count = async (table: string, where: object = {}): Promise<number> => {
      const row = await database.read((knex) => knex(table).where(where).count({ count: '*' }).first());
      return Number(row?.count);
    };

    const toldTo = (seller: UserId): Promise<string[]> =>
      database.read((knex) =>
        knex('webhook_deliveries as d')
          .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
          .where('e.owner_id', seller)
          .orderBy('d.type')
          .pluck('d.type'),
      );

    for (const [n, step] of steps.entries()) {
      it(`leaves nothing undone, and nothing is done twice: ${step}`, async () => {
        const stores = storesOn(database);
        const seller = await addUser(stores, `Seller${n}`);
        await addEndpoint(stores, seller.id, { isLive: true, createdAt: now - 9 });
        const product = await addForSale(stores, { ownerId: seller.id, slug: `jar-${n}` });
        const order = await addOrder(stores, product, {
          buyer: { userId: null, email: `buyer${n}@example.com`, name: null },
        });
        expect(await run(now + 10, step)).to.equal('SIGKILL');
        expect(await run(now + 10 + lease)).to.equal(0);
        const after = await stores.orders.find(order.id);
        expect(after).to.deep.include({ state: 'paid', number: 1, revision: 1 });
        expect({
          licenses: await count('licenses', { product_id: product.id }),
          sold: await count('products', { id: product.id, sold: 1 }),
          mails: await count('mails', { address: `buyer${n}@example.com` }),
          notices: await count('notifications', { user_id: seller.id }),
          paid: await count('audit_log', { type: 'order.paid', subject: String(order.id) }),
          work: await count('work', { kind: 'order' }),
          told: await toldTo(seller.id),
        }).to.deep.equal({
          licenses: 1,
          sold: 1,
          mails: 1,
          notices: 1,
          paid: 1,
          work: 0,
          told: ['license.issued', 'order.paid'],
        });
      });
    }

    for (const [n, { offer, step }] of kills.entries()) {
      it(`counts each payment of a license once: ${offer}, ${step}`, async () => {
        const stores = storesOn(database);
        const seller = await addUser(stores, `Jar seller ${n}`);
        const fields = { ownerId: seller.id, slug: `tea-${n}`, price: 4_000, offers: [sold, more, team] };
        const product = await addForSale(stores, {
          ...fields,
          terms: { ...defaultTerms, duration: sold.duration, maxDomains: sold.maxDomains },
        });
        const email = `holder${n}@example.com`;
        const first = newOrder(product, { buyer: { userId: null, email, name: null } });
        const { kind, slug, updatesMonths, entitlements } = sold;
        const agreed = { ...first.agreed, offer: { slug, name: sold.name, kind, updatesMonths, entitlements } };
        const bought = await addOrder(stores, product, { ...first, agreed });
        const bank = createBank();
        bank.set(bought, { status: 'paid' });
        const key = must((await settleOn(stores, bank)(bought.id))?.licenseKey ?? undefined);
        await addEndpoint(stores, seller.id, { isLive: true, createdAt: now });

        const later = now + 10 * day;
        const wish = [String(bought.id), offer];
        expect(await run(later, step, ...wish)).to.equal('SIGKILL');
        // The buyer has not paid yet, and begins anew.
        const again = ordering.includes(step) ? ['never', ...wish] : [];
        expect(await run(later + lease, ...again)).to.equal(0);

        const { license } = must(await stores.licenses.find(key));
        const periods = await stores.orders.periodsOf(key);
        const orders: OrderRow[] = await database.read((knex) => knex('orders').where({ renews: key }).orderBy('id'));
        const paid = orders.filter(({ state }) => state === 'paid');
        const { expiresAt, maxDomains } = paidFor[offer];
        // An upgrade begins with its order, which the buyer may have made a little later.
        const begins = offer === 'team' ? (paid[0]?.created_at ?? 0) - later : license.createdAt - now;
        expect(license).to.deep.include({ expiresAt: expiresAt + begins, maxDomains, standing: 'active' });
        expect(grantIn(license)).to.deep.equal(grantOf(periods));
        expect(periods.map(({ cause, standing }) => [cause, standing])).to.deep.equal([
          [`order:${bought.id}`, 'paid'],
          [`order:${paid[0]?.id}`, 'paid'],
        ]);
        expect(orders.filter((order) => order !== paid[0]).map(({ state, number }) => [state, number])).to.deep.equal(
          step === 'ordering: after the commit' || step.includes('page') ? [['open', null]] : [],
        );
        expect({
          number: paid.map((order) => order.number),
          licenses: await count('licenses', { product_id: product.id }),
          sold: await count('products', { id: product.id, sold: 1 }),
          mails: await count('mails', { address: email, kind: 'order-renewed' }),
          notices: await count('notifications', { user_id: seller.id }),
          paid: await count('audit_log', { type: 'order.paid', subject: String(paid[0]?.id) }),
          renewed: await count('audit_log', { type: 'license.renewed', subject: key }),
          work: await count('work', { kind: 'order', subject_id: paid[0]?.id ?? 0 }),
          told: await toldTo(seller.id),
        }).to.deep.equal({
          ...{ number: [2], licenses: 1, sold: 1, mails: 1, paid: 1, renewed: 1, work: 0 },
          ...{ notices: 2, told: ['license.renewed', 'order.paid'] },
        });
      });
    }

    const begins = ['paid', 'refunded in part'] as const;
    for (const [phase, steps] of [bundled, refunding].entries()) {
      for (const [n, step] of steps.entries()) {
        it(`does all of a bundle once that is ${begins[phase]}: ${step}`, async () => {
          const stores = { ...storesOn(database), ...storesOfCheckout(database) };
          const seller = await addUser(stores, `Bundles ${phase} ${n}`);
          const slug = `bundle-${phase}-${n}`;
          const { bundle, inside } = await addBundle(stores, [3_000, 1_000], { ownerId: seller.id, slug });
          const shop = createBundleShop(stores, createManualClock(now), createBank());
          const email = `${slug}@example.com`;
          const { id } = await shop.begin(bundle, email);
          await stores.orders.lookAt(id, now + 5);
          const [refunded] = inside;
          const share = must((await stores.orders.partsOf([id]))[0]).agreed.price;
          const facts = JSON.stringify({ refunded: share, refundedParts: [must(refunded).id] });
          const isRefund = phase === 1;
          if (isRefund) expect(await run(now + 10)).to.equal(0);
          await addEndpoint(stores, seller.id, { isLive: true, createdAt: now - 9 });

          const later = now + day;
          await stores.orders.lookAt(id, later);
          const wish = isRefund ? ['facts', facts] : [];
          expect(await run(later, step, ...wish)).to.equal('SIGKILL');
          expect(await run(later + lease, 'never', ...wish)).to.equal(0);

          const order = must(await stores.orders.find(id));
          const parts = await stores.orders.partsOf([id]);
          const keys = parts.map(({ licenseKey }) => must(licenseKey ?? undefined));
          const licenses = await stores.licenses.findAll(keys, 1);
          const standings = keys.map((key) => licenses.find(({ license }) => license.key === key)?.license.standing);
          expect(order).to.include({ state: isRefund ? 'partly_refunded' : 'paid', number: 1, licenseKey: null });
          expect(parts.map(({ state }) => state)).to.deep.equal([isRefund ? 'refunded' : 'paid', 'paid']);
          expect(standings).to.deep.equal([isRefund ? 'revoked' : 'active', 'active']);
          expect(order.creditNotes.map(({ number, amount }) => [number, amount])).to.deep.equal(
            isRefund ? [[1, share]] : [],
          );
          const mails = ['order-bundle-paid', 'order-refunded'].map((kind) => count('mails', { address: email, kind }));
          const types = ['order.paid', 'order.refunded'];
          const audited = types.map((type) => count('audit_log', { type, subject: String(id) }));
          const products = [bundle, ...inside];
          expect({
            licenses: await Promise.all(inside.map((one) => count('licenses', { product_id: one.id }))),
            sold: await Promise.all(products.map((one) => count('products', { id: one.id, sold: 1 }))),
            mails: await Promise.all(mails),
            audited: await Promise.all(audited),
            notices: await count('notifications', { user_id: seller.id }),
            told: await toldTo(seller.id),
          }).to.deep.equal({
            ...{ licenses: [1, 1], sold: [1, 1, 1], mails: [1, isRefund ? 1 : 0], audited: [1, isRefund ? 1 : 0] },
            notices: isRefund ? 2 : 1,
            told: isRefund ? ['license.revoked', 'order.refunded'] : ['license.issued', 'license.issued', 'order.paid'],
          });
        });
      }
    }
  });
}

function storesOfCheckout(database: Database) {
  return { coupons: createSqlCouponStore(database), auditLog: createSqlAuditLog(database) };
}

function storesOn(database: Database) {
  return {
    accounts: createSqlAccountStore(database),
    products: createSqlProductStore(database),
    orders: createSqlOrderStore(database),
    licenses: createSqlLicenseStore(database, () => Promise.reject(new Error('Nothing is verified here.'))),
    webhooks: createSqlWebhookStore(database),
  };
}
