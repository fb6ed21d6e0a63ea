import { writeFileSync } from 'node:fs';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { defaultTerms, type ProductTerms } from '../../core/marketplace/product-terms.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { day } from '../../core/time.ts';
import { operator } from './by.ts';
import { good } from './good.ts';
import { actOn, domain, must } from './license-acts.ts';
import { type AskedLicense, licenseAnswers, oldSettings } from './license-answers.ts';
import { addForSale } from './orders.ts';
import { placeOrder } from './placed-orders.ts';

// Fills a service with licenses in every state, or asks it about all of them. Runs with the code of any version, if this
// file and license-answers.ts are copied there. Usage: make-old-service.ts fill|answers <DATABASE_URL> [file of answers]

const [act, DATABASE_URL = '', file = ''] = process.argv.slice(2);
const start: Instant = Date.UTC(2026, 8, 1, 12);
const settings = { ...oldSettings, DATABASE_URL };

if (act === 'fill') await withParts(fill);
else {
  const times = [40 * day, 75 * day, 500 * day].map((after) => start + after);
  const licenses = await withParts(askedOf);
  const answers = await licenseAnswers(settings, licenses, times);
  writeFileSync(file, `${JSON.stringify({ times, licenses, answers })}\n`);
}

async function withParts<T>(work: (parts: Parts, clock: ReturnType<typeof createManualClock>) => Promise<T>) {
  const clock = createManualClock(start);
  const parts = await compose(readConfig(settings), { clock });
  try {
    return await work(parts, clock);
  } finally {
    await parts.close();
  }
}

async function askedOf(parts: Parts): Promise<AskedLicense[]> {
  const [issuing, store] = [await parts.get(t.issuing), await parts.get(t.licenseStore)];
  const all = good(await issuing.list({ limit: 999 }, operator));
  const asked: AskedLicense[] = [];
  for (const { key } of all.toReversed()) {
    const domains = must(await store.find(key)).domains.map((one) => String(one.domain));
    asked.push({ key, domains: domains.toSorted() });
  }
  return asked;
}

async function fill(parts: Parts, clock: ReturnType<typeof createManualClock>): Promise<void> {
  const [issuing, store, products] = [
    await parts.get(t.issuing),
    await parts.get(t.licenseStore),
    await parts.get(t.productStore),
  ];
  const accounts = await parts.get(t.accounts);
  const ada = good(await accounts.add({ name: 'Ada Ünal', email: 'ada@example.com', tier: 'pro' }, operator));
  const acts = actOn(store);
  const activate = async (key: LicenseKey, ...names: string[]) => {
    for (const name of names) {
      good(await acts.activate(key, domain(name), clock.now()));
      for (let times = name.length % 4; times > 0; times--) await acts.verify(key, domain(name), clock.now());
    }
  };
  const sell = (slug: string, terms: Partial<ProductTerms>, fields: Partial<Product> = {}) =>
    addForSale({ products }, { slug, title: `The ${slug}`, terms: { ...defaultTerms, ...terms }, ...fields });
  const hosts = { localHostsAreFree: true, previewHosts: ['*.vercel.app'], wwwIsApex: true };
  const sold = [
    await sell('jar', { maxDomains: 3 }, { ownerId: ada.id }),
    await sell(
      'year',
      { duration: { days: 365, from: 'issue' }, onRefund: 'keep' },
      { ownerId: ada.id, isLive: false },
    ),
    await sell('month', { maxDomains: 4, duration: { days: 30, from: 'first_activation' }, hosts }),
    await sell('gift', { duration: { days: 60, from: 'issue' } }, { ownerId: ada.id, price: 0 }),
  ];

  for (const { id } of sold) {
    const given = (terms: object) => ({ productId: id, maxDomains: 2, expiresAt: null, ...terms });
    const ends = [null, start + 30 * day, start + 60 * day];
    for (const expiresAt of ends) {
      const keys = good(await issuing.issue(given({ expiresAt }), 4, operator));
      const [works, suspended, revoked, unused] = keys.map(must);
      await activate(must(works), `a${id}.example.com`, `münchen-${id}.de`);
      for (const key of [must(suspended), must(revoked)]) await activate(key, `b${id}.example.com`);
      good(await issuing.change(must(suspended), 'suspend', operator));
      good(await issuing.change(must(revoked), 'revoke', operator));
      good(await issuing.renew(must(unused), expiresAt === null ? null : expiresAt + 40 * day, operator));
    }
    const [started, waits] = good(await issuing.issue(given({ daysFromActivation: 50 }), 2, operator));
    await activate(must(started), `started${id}.example.com`);
    must(waits);
  }

  const moved = must(parseLicenseKey('LIC-MOVE-0000-0000-0001'));
  await issuing.issueAs(moved, { productId: must(sold[0]).id, maxDomains: 1, expiresAt: start + 80 * day }, operator);
  await activate(moved, 'before.example.com');
  clock.advance(39 * day);
  const asked = { from: domain('before.example.com'), to: domain('after.example.com'), overlapHours: 72 };
  good(await acts.move(moved, asked, clock.now()));
  const imported = ['active', 'suspended', 'revoked'] as const;
  good(
    await issuing.import(
      imported.map((standing, n) => ({
        ...{ productId: must(sold[1]).id, maxDomains: 5, expiresAt: start + (n + 1) * 70 * day, standing },
        key: must(parseLicenseKey(`LIC-OLD0-0000-0000-000${n}`)),
      })),
      operator,
    ),
  );

  const total = 4_990;
  const payments = {
    paid: {},
    'refunded in part': { refunded: 1_000 },
    refunded: { refunded: total },
    disputed: { dispute: 'open' },
    lost: { dispute: 'lost' },
    won: { dispute: 'won' },
  } as const;
  for (const { slug, price, isLive } of sold) {
    for (const [name, payment] of Object.entries(payments)) {
      // Nobody buys what is in test mode, and nothing is paid for what is free.
      if (!isLive || (price === 0 && name !== 'paid')) continue;
      const email = `${name.replaceAll(' ', '-')}@example.com`;
      const way = price === 0 ? ({} as const) : ({ way: 'manual' } as const);
      const order = await placeOrder(parts, slug, { email, name: 'Zoë', ...way, payment: price === 0 ? {} : payment });
      const key = order.licenseKey;
      if (key === null) continue;
      const answer = await acts.activate(key, domain(`${name.replaceAll(' ', '-')}.${slug}.example.com`), clock.now());
      if (answer !== undefined && 'reason' in answer && name === 'paid') throw new Error('It is not activated.');
    }
  }
  await placeOrder(parts, 'jar', { email: 'open@example.com', way: 'manual', isPaid: false });
}
