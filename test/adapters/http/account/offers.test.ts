import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const team = {
  name: 'Team',
  price: '149',
  max_domains: 5,
  duration: { days: 365, from: 'first_activation' },
  updates_months: 12,
  entitlements: ['team', 'PRO', 'pro'],
};
const notRecurring = {
  prices: {},
  pay_what_you_want: null,
  interval_months: null,
  grace_days: null,
  perpetual_after: null,
};
const shown = {
  ...{ ...team, slug: 'team', kind: 'once', currency: 'USD', price: '149.00', entitlements: ['pro', 'team'] },
  from_offer: null,
  ...notRecurring,
};

describe('the offers of a product over the API', () => {
  let service: AccountService;
  let seller: Account;
  let path: string;
  before(async () => {
    service = await startAccountService();
  });
  beforeEach(async () => {
    seller = await service.account();
    const { body } = await seller.submit('/api/marketplace/publish', listingForm({ price: '49.90' }));
    path = `/api/products/${body.product.id}`;
  });
  after(() => service.close());

  const send = (account: Account, method: string, address: string, body: object = {}): Promise<Answer> =>
    account.send(address, {
      method,
      ...(method !== 'DELETE' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const add = (body: object, headers = {}) => seller.post(`${path}/offers`, body, headers);
  const patch = (slug: string, body: object) => send(seller, 'PATCH', `${path}/offers/${slug}`, body);
  const remove = (slug: string) => send(seller, 'DELETE', `${path}/offers/${slug}`);
  const list = async () => (await seller.get(`${path}/offers`)).body.data;
  const slugs = async () => (await list()).map(({ slug }: { slug: string }) => slug);
  const codes = ({ status, body }: Answer) => [status, body.error?.code];

  itLong('200 for a new one with all its terms, and the product itself stays as it was', async () => {
    const before = (await seller.get(path)).body.product;
    const { status, body } = await add(team);
    expect([status, body]).to.deep.equal([200, { success: true, offer: { ...shown, listed: true, position: 1 } }]);
    expect(await list()).to.deep.equal([body.offer]);
    const after = (await seller.get(path)).body.product;
    expect({ ...after, updated_at: '', marketplace_url: '' }).to.deep.equal({
      ...before,
      updated_at: '',
      marketplace_url: '',
    });
  });

  itLong('200 with the usual terms for what is left out: one domain, for ever, listed, at the end', async () => {
    await add(team);
    const { body } = await add({ name: 'Überall 2026', price: '0' });
    expect(body.offer).to.deep.equal({
      ...{ slug: 'uberall-2026', name: 'Überall 2026', kind: 'once', price: '0.00', currency: 'USD', max_domains: 1 },
      ...{ duration: null, updates_months: null, entitlements: [], listed: true, position: 2, from_offer: null },
      ...notRecurring,
    });
    await add({ name: '東', price: '1' });
    await add({ name: '東', price: '1', position: 1 });
    expect(await slugs()).to.have.length(4);
    expect(new Set(await slugs()).size).to.equal(4);
  });

  it('200 once for one Idempotency-Key', async () => {
    const first = await add(team, { 'Idempotency-Key': 'a' });
    expect((await add(team, { 'Idempotency-Key': 'a' })).body).to.deep.equal(first.body);
    expect(await slugs()).to.deep.equal(['team']);
  });

  it('422 for prices in other currencies that cannot be, each with its reason', async () => {
    await add(team);
    for (const [prices, message] of [
      [{ usd: '5' }, /USD is the price itself/],
      [{ xyz: '5' }, /XYZ are not supported/],
      [{ EUR: '5' }, /lower case/],
      [{ jpy: '70.50' }, /amount in JPY, such as 4900/],
      [{ kwd: '1.234' }, /third decimal/],
      [{ eur: '0' }, /more than 0/],
      [{ eur: 5 }, /must be a text/],
      [['5'], /must be/],
      [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${String.fromCharCode(97 + n)}`, '1'])), /supported/],
    ] as const) {
      const { status, body } = await patch('team', { prices });
      expect(status, JSON.stringify(prices)).to.equal(422);
      expect(JSON.stringify(body.error), JSON.stringify(prices)).to.match(message);
    }
    const own = (body: object) => send(seller, 'PATCH', path, body);
    expect((await own({ prices: { eur: '45', jpy: '7000' } })).body.product.prices).to.deep.equal({
      eur: '45.00',
      jpy: '7000',
    });
    expect(codes(await own({ price: '0' })), 'what is free has no list').to.deep.equal([422, 'VALIDATION_ERROR']);
    expect((await own({ price: '0', prices: {} })).body.product).to.include({ price: '0.00' });
  });

  itLong(
    '200 with a price that buyers choose, for an offer and a product, and 422 for one that cannot be, with its reason',
    async () => {
      await add({ ...team, prices: { eur: '140' } });
      const choice = { least: '20', least_prices: { eur: '18.50' } };
      const shown = { least: '20.00', suggested: '149.00', least_prices: { eur: '18.50' } };
      expect((await patch('team', { pay_what_you_want: choice })).body.offer.pay_what_you_want).to.deep.equal(shown);
      for (const [pay_what_you_want, message] of [
        [{ least: '20' }, /say the least one in EUR/],
        [{ ...choice, least: '149.01' }, /USD must not be more than the price/],
        [{ ...choice, least_prices: { eur: '140.01' } }, /EUR must not be more/],
        [{ ...choice, least_prices: { eur: '1', gbp: '1' } }, /no price in GBP/],
        [{ ...choice, least: '-1' }, /amount in US dollars/],
        [{ ...choice, least: 20 }, /must be a text/],
        [{ ...choice, suggested: '9' }, /suggested/],
        [{ least_prices: {} }, /required|must be a text/],
        [[], /object/],
      ] as const) {
        const { status, body } = await patch('team', { pay_what_you_want });
        expect(status, JSON.stringify(pay_what_you_want)).to.equal(422);
        expect(JSON.stringify(body.error), JSON.stringify(pay_what_you_want)).to.match(message);
      }
      const trial = { name: 'Try', kind: 'trial', price: '0', duration: { days: 7, from: 'issue' } };
      for (const wrong of [trial, { name: 'Club', kind: 'subscription', price: '20' }]) {
        expect(codes(await add({ ...wrong, pay_what_you_want: { least: '0' } }))).to.deep.equal([
          422,
          'VALIDATION_ERROR',
        ]);
      }
      expect((await patch('team', { pay_what_you_want: null })).body.offer.pay_what_you_want).to.equal(null);
      const own = (body: object) => send(seller, 'PATCH', path, body);
      const product = (await own({ price: '49', prices: {}, pay_what_you_want: { least: '0' } })).body.product;
      expect(product.pay_what_you_want).to.deep.equal({ least: '0.00', suggested: '49.00', least_prices: {} });
      expect(codes(await own({ price: '0' })), 'the suggested price is more than 0').to.deep.equal([
        422,
        'VALIDATION_ERROR',
      ]);
    },
  );

  itLong('200 for a change of each field, which keeps the others, and moves it in the list', async () => {
    await add(team);
    await add({ slug: 'solo', name: 'Solo', price: '49' });
    const changes = [
      { name: 'Crew' },
      { price: '1.50' },
      { prices: { eur: '1.40', jpy: '250', kwd: '0.450' } },
      { prices: { gbp: '1.20' } },
      { prices: {} },
      { max_domains: 9 },
      { duration: null },
      { updates_months: null },
      { entitlements: [] },
      { listed: false },
      { position: 2 },
    ];
    let expected: object = { ...shown, listed: true, position: 1 };
    for (const change of changes) {
      expected = { ...expected, ...change };
      const { status, body } = await patch('team', change);
      expect([status, body.offer], JSON.stringify(change)).to.deep.equal([200, expected]);
    }
    expect(await slugs()).to.deep.equal(['solo', 'team']);
    const events = async () =>
      (await service.rows('audit_log')).filter(({ type }) => type === 'product.changed').length;
    const before = await events();
    await patch('team', { name: 'Crew' });
    expect(await events(), 'the same again').to.equal(before);
  });

  it('200 for a removal, after which it is gone', async () => {
    await add(team);
    expect((await remove('team')).body).to.deep.equal({ success: true });
    expect(await list()).to.deep.equal([]);
    expect(codes(await remove('team'))).to.deep.equal([404, 'NOT_FOUND']);
  });

  it('404 for products of others, of the other mode, and unknown ones, and for unknown offers', async () => {
    await add(team);
    const others = [await service.account(), await service.keyOf(seller.user, { mode: 'test' })];
    for (const account of others) {
      const calls = [
        account.get(`${path}/offers`),
        account.post(`${path}/offers`, team),
        send(account, 'PATCH', `${path}/offers/team`, { price: '1' }),
        send(account, 'DELETE', `${path}/offers/team`),
      ];
      for (const answer of await Promise.all(calls)) expect(codes(answer)).to.deep.equal([404, 'NOT_FOUND']);
    }
    expect(codes(await seller.get('/api/products/no-such-thing/offers'))).to.deep.equal([404, 'NOT_FOUND']);
    expect(codes(await patch('none', { price: '1' }))).to.deep.equal([404, 'NOT_FOUND']);
    expect(await list()).to.deep.equal([{ ...shown, listed: true, position: 1 }]);
  });

  itLong('409 for a slug that is taken, for too many, and for an archived product', async () => {
    await add(team);
    expect(codes(await add({ ...team, slug: 'team' }))).to.deep.equal([409, 'CONFLICT']);
    for (let n = 1; n < 20; n++) expect((await add({ name: `O ${n}`, price: '1' })).status).to.equal(200);
    expect(codes(await add({ name: 'More', price: '1' }))).to.deep.equal([409, 'CONFLICT']);
    await seller.post(`${path}/archive`, {});
    for (const answer of [await add(team), await patch('team', { price: '1' }), await remove('team')]) {
      expect(codes(answer)).to.deep.equal([409, 'CONFLICT']);
    }
    expect(await list()).to.have.length(20);
  });

  itLong('422 for wrong values, and nothing is added', async () => {
    for (const [field, value] of [
      ['name', ''],
      ['name', 'x'.repeat(61)],
      ['price', 'cheap'],
      ['price', '-1'],
      ['max_domains', 0],
      ['duration', { days: 0, from: 'issue' }],
      ['duration', { days: 1, from: 'never' }],
      ['updates_months', 0],
      ['updates_months', 1_201],
      ['entitlements', ['a b']],
      ['listed', 'yes'],
      ['position', 0],
      ['slug', 'A b'],
      ['kind', 'gift'],
      ['interval_months', 0],
      ['interval_months', 37],
      ['grace_days', 0],
      ['grace_days', 91],
      ['perpetual_after', 0],
    ] as const) {
      const { status, body } = await add({ ...team, [field]: value });
      expect([status, body.error.code], field).to.deep.equal([422, 'VALIDATION_ERROR']);
      expect(Object.keys(body.error.fields)[0], field).to.match(new RegExp(`^${field}`));
    }
    for (const missing of ['name', 'price']) {
      const { body } = await add({ ...team, [missing]: undefined });
      expect(body.error.fields).to.have.all.keys(missing);
    }
    expect(await list()).to.deep.equal([]);
  });

  itLong('200 for a renewal and an upgrade, for licenses of any offer or of one', async () => {
    await add(team);
    const more = await add({ name: 'More', kind: 'renewal', price: '49', updates_months: 12, from_offer: 'team' });
    expect(more.status).to.equal(200);
    expect(more.body.offer).to.include({ kind: 'renewal', from_offer: 'team' });
    expect((await patch('more', { from_offer: null })).body.offer).to.include({ from_offer: null, kind: 'renewal' });
    await patch('more', { from_offer: 'team' });
    expect(codes(await remove('team')), 'another offer is for its licenses').to.deep.equal([409, 'CONFLICT']);
    expect((await patch('more', { kind: 'once' })).status, 'the kind stays').to.equal(422);
  });

  it('200 for a subscription, with the usual interval and grace or others; a change of one keeps the rest', async () => {
    const usual = await add({ name: 'Monthly', kind: 'subscription', price: '9' });
    expect([usual.status, usual.body.offer]).to.deep.equal([
      200,
      { ...usual.body.offer, interval_months: 1, grace_days: 7, perpetual_after: null, duration: null },
    ]);
    const wanted = { interval_months: 12, grace_days: 14, perpetual_after: 24 };
    const yearly = await add({ name: 'Yearly', kind: 'subscription', price: '90', ...wanted });
    expect(yearly.body.offer).to.include(wanted);
    expect((await patch('yearly', { grace_days: 3 })).body.offer).to.include({ ...wanted, grace_days: 3 });
    expect((await patch('yearly', { perpetual_after: null })).body.offer).to.include({
      ...wanted,
      ...{ grace_days: 3, perpetual_after: null },
    });
    await add(team);
    expect(codes(await patch('team', { interval_months: 3 }))).to.deep.equal([422, 'VALIDATION_ERROR']);
    expect((await list()).at(-1)).to.include({ interval_months: null });
  });

  itLong('422 for what does not go together, and nothing changes', async () => {
    await add(team);
    const days = { days: 14, from: 'issue' };
    for (const [body, field] of [
      [{ kind: 'gift' }, 'kind'],
      [{ kind: 'trial', price: '1', duration: days }, 'must be 0'],
      [{ kind: 'trial', price: '0' }, 'number of days'],
      [{ kind: 'renewal' }, 'must add days'],
      [{ kind: 'renewal', price: '0', duration: days }, 'has a price'],
      [{ kind: 'upgrade', from_offer: 'none' }, 'none'],
      [{ from_offer: 'team' }, 'Only a renewal'],
      [{ interval_months: 1 }, 'A subscription, and only that'],
      [{ kind: 'subscription', price: '0' }, 'has a price'],
      [{ kind: 'subscription', duration: days }, 'each payment pays both'],
      [{ kind: 'subscription', updates_months: 3 }, 'each payment pays both'],
      [{ kind: 'subscription', from_offer: 'team' }, 'Only a renewal'],
    ] as const) {
      const { status, body: answer } = await add({ name: 'X', price: '5', ...body });
      expect([status, answer.error.code], field).to.deep.equal([422, 'VALIDATION_ERROR']);
      expect(JSON.stringify(answer.error)).to.include(field);
    }
    expect(await slugs()).to.deep.equal(['team']);
  });

  itLong(
    'are listed for everybody on the storefront, with the lowest price and its terms, and a link to each, without the hidden ones',
    async () => {
      const read = async () => {
        const { slug } = (await seller.get(path)).body.product;
        const { body } = await service.send(`/api/marketplace/products/${slug}`);
        const { body: found } = await service.send('/api/marketplace/products?sort=newest');
        const item = found.data.find((one: { slug: string }) => one.slug === slug);
        expect([item.price, item.offers]).to.deep.equal([body.data.price, body.data.offers]);
        const { max_domains, duration } = body.data.terms;
        expect({ max_domains, duration }).to.deep.equal({ max_domains: item.max_domains, duration: item.duration });
        return { ...body.data, max_domains, duration };
      };
      const { product } = (await seller.get(path)).body;
      good(await service.products.change(String(product.id), 'approve', operator));
      expect(await read()).to.deep.include({ price: '49.90', offers: [] });
      await add({ ...team, listed: false });
      expect(await read()).to.deep.include({ price: '49.90', offers: [] });
      await patch('team', { listed: true });
      await add({ slug: 'solo', name: 'Solo', price: '19' });
      expect(await read()).to.deep.include({ price: '19.00', max_domains: 1, duration: null });
      await patch('solo', { max_domains: 3, duration: { days: 30, from: 'issue' } });
      expect(await read()).to.deep.include({ max_domains: 3, duration: { days: 30, from: 'issue' } });
      const days = { days: 30, from: 'issue' };
      for (const more of [
        { kind: 'renewal', price: '5', duration: days },
        { kind: 'trial', price: '0', duration: days },
        { kind: 'upgrade', price: '6' },
      ]) {
        expect((await add({ name: more.kind, ...more })).status, 'sold to those who have a license').to.equal(200);
      }
      const { price, offers } = await read();
      expect([price, offers.map(({ slug }: { slug: string }) => slug)]).to.deep.equal([
        '19.00',
        ['team', 'solo', 'trial'],
      ]);
      const { from_offer: _, ...sold } = shown;
      expect(offers[0]).to.deep.equal({
        ...sold,
        url: `${service.url}/marketplace/${product.slug}/buy?offer=team`,
      });
      const cheap = await service.send('/api/marketplace/products?price_to=19.00&sort=price_low');
      expect(cheap.body.data.map(({ slug }: { slug: string }) => slug)).to.include(product.slug);
    },
  );
});
