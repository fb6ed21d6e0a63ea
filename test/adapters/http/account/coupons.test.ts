import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('coupons on the account API', () => {
  let service: AccountService;
  let ada: Account;
  let jar: { readonly id: number; readonly slug: string };
  before(async () => {
    service = await startAccountService();
    ada = await service.account('pro');
    jar = good(await service.products.add({ title: 'Jar', ownerId: ada.user.id }, operator));
  });
  after(() => service.close());

  itLong('200 with the coupon that was made, by its id and in the list', async () => {
    const made = await ada.post('/api/coupons', {
      ...{ code: 'launch-20', percent_off: 20, payments: 3, products: [{ product: 'jar' }], owners_of: 'jar' },
      ...{ starts_at: '2020-01-01T00:00:00Z', ends_at: '2099-01-01T00:00:00Z', max_uses: 10, max_uses_per_buyer: 1 },
    });
    expect(made.status, made.text).to.equal(200);
    const { coupon } = made.body;
    const product = { id: jar.id, slug: 'jar', title: 'Jar' };
    expect(coupon).to.deep.include({
      ...{ code: 'LAUNCH-20', livemode: true, status: 'valid', percent_off: 20, amount_off: null, currency: null },
      ...{ payments: 3, products: [{ product, offer: null }], owners_of: product, of_site: false },
      ...{ max_uses: 10, max_uses_per_buyer: 1, uses: 0, ended_at: null },
    });
    expect((await ada.get(`/api/coupons/${coupon.id}`)).body.coupon).to.deep.equal(coupon);
    expect((await ada.get('/api/coupons')).body.data).to.deep.equal([coupon]);
  });

  it('200 with a code that nobody guesses if none is given', async () => {
    const codes = new Set<string>();
    for (let n = 0; n < 3; n++) {
      const { body } = await ada.post('/api/coupons', { amount_off: 500, currency: 'usd' });
      expect(body.coupon).to.deep.include({ percent_off: null, amount_off: 500, currency: 'usd', products: [] });
      codes.add(body.coupon.code);
    }
    expect(codes.size).to.equal(3);
    for (const code of codes) expect(code).to.match(/^[2-9A-Z]{10}$/);
  });

  it('200 for an amount in another currency', async () => {
    const { status, body, text } = await ada.post('/api/coupons', { amount_off: 700, currency: 'jpy' });
    expect(status, text).to.equal(200);
    expect(body.coupon).to.deep.include({ percent_off: null, amount_off: 700, currency: 'jpy' });
  });

  it('200 twice for an end, after which the code is free', async () => {
    const { body } = await ada.post('/api/coupons', { code: 'ONCE', percent_off: 5 });
    const end = () => ada.post(`/api/coupons/${body.coupon.id}/end`, {});
    const first = await end();
    expect(first.body.coupon).to.deep.include({ status: 'ended' });
    expect((await end()).body.coupon).to.deep.equal(first.body.coupon);
    expect((await ada.post('/api/coupons', { code: 'once', percent_off: 6 })).status).to.equal(200);
  });

  it('403 for a coupon of the site, unless the caller is an administrator', async () => {
    const refused = await ada.post('/api/coupons', { percent_off: 5, of_site: true });
    expect(refused.status).to.equal(403);
  });

  it('404 for a coupon of somebody else or of the other mode, and for products of others', async () => {
    const { body } = await ada.post('/api/coupons', { percent_off: 5 });
    const bob = await service.account('pro');
    const test = await service.keyOf(ada.user, { mode: 'test' });
    for (const other of [bob, test]) {
      expect((await other.get(`/api/coupons/${body.coupon.id}`)).status).to.equal(404);
      expect((await other.post(`/api/coupons/${body.coupon.id}/end`, {})).status).to.equal(404);
      expect((await other.get('/api/coupons')).body.data).to.deep.equal([]);
      const named = { percent_off: 5, products: [{ product: 'jar' }] };
      expect((await other.post('/api/coupons', named)).status).to.equal(404);
      expect((await other.post('/api/coupons', { percent_off: 5, owners_of: 'jar' })).status).to.equal(404);
    }
    expect((await ada.get('/api/coupons/none')).status).to.equal(404);
  });

  itLong('409 for a code that another coupon has', async () => {
    await ada.post('/api/coupons', { code: 'TWICE', percent_off: 5 });
    const again = await ada.post('/api/coupons', { code: 'Twice', percent_off: 5 });
    expect(again.status).to.equal(409);
    const bob = await service.account('pro');
    expect((await bob.post('/api/coupons', { code: 'TWICE', percent_off: 5 })).status).to.equal(200);
  });

  for (const [wrong, text] of [
    [{}, 'percent_off'],
    [{ percent_off: 5, amount_off: 5, currency: 'usd' }, 'percent_off'],
    [{ percent_off: 0 }, 'percent_off'],
    [{ percent_off: 101 }, 'percent_off'],
    [{ amount_off: 5 }, 'currency'],
    [{ amount_off: 5, currency: 'xyz' }, 'currency'],
    [{ amount_off: 5, currency: 'EUR' }, 'currency'],
    [{ percent_off: 5, payments: 1 }, 'payments'],
    [{ percent_off: 5, code: 'a b' }, 'letters from A to Z'],
    [{ percent_off: 5, ends_at: '2020-01-01T00:00:00Z' }, 'over already'],
    [{ percent_off: 5, products: [{ product: 'jar', offer: 'none' }] }, 'offer none'],
    [{ percent_off: 5, max_uses: 0 }, 'max_uses'],
    [{ percent_off: 5, more: 1 }, 'more'],
  ] as const) {
    it(`422 for ${JSON.stringify(wrong)}`, async () => {
      const { status, text: all } = await ada.post('/api/coupons', wrong);
      expect(status, all).to.equal(422);
      expect(all).to.include(text);
    });
  }
});
