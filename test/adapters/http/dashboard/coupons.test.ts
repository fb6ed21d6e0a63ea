import { expect } from 'chai';
import { monthly } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { shop } from '../../../support/shop.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const list = '/selling/live/coupons';
const idIn = ({ location = '' }: WebAnswer) => /coupons\/(\d+)/.exec(location)?.[1] ?? '';

describe('pages about coupons', () => {
  let service: SellingService;
  let guest: WebClient;
  let ada: Person;
  let count = 0;
  before(async () => {
    service = await startSellingService(shop);
    ada = await service.signedInUser();
  });
  beforeEach(() => {
    service.clock.advance(3_600_000);
    guest = service.browser();
  });
  after(() => service.close());

  async function product(more: Parameters<SellingService['product']>[2] = {}, owner: Person | null = ada) {
    const { slug } = await service.product(owner, `jar-${++count}`, { ...onSale, title: 'Jar', ...more });
    return slug;
  }
  const make = async (fields: Record<string, string>) => {
    const made = await ada.browser.fill(`${list}/new`, { off: '20', ...fields });
    expect(made.status, made.text).to.equal(303);
    return idIn(made);
  };
  /** Presses the button beside the field for the code. */
  const apply = (page: WebAnswer, coupon: string) => {
    const form = page.forms.find(({ names }) => names.includes('coupon'));
    return guest.post(page.path, { ...form?.common, ...form?.values, coupon, apply: 'yes' });
  };
  const buy = (slug: string) => `/marketplace/${slug}/buy`;
  const emailOf = () => `buyer${++count}@example.com`;

  itLong('show how to make the first coupon, make one, list it and end it', async () => {
    expect((await ada.browser.get(list)).text).to.include('No coupons yet');
    const slug = await product();
    const id = await make({ code: 'launch20', target: slug, most_uses: '5', most_per_buyer: '1' });
    const page = await ada.browser.get(`${list}/${id}`);
    expect(page.text).to.include('LAUNCH20').and.include('20 %').and.include('0 of 5');
    expect(page.html).to.include(`/marketplace/${slug}/buy?coupon=LAUNCH20`);
    expect((await ada.browser.get(list)).text)
      .to.include('LAUNCH20')
      .and.include('Valid');
    const ended = await ada.browser.fill(`${list}/${id}/end`, {});
    expect(ended.location).to.include(`coupons/${id}`);
    expect((await ada.browser.get(list)).text).to.include('Ended');
    const other = await service.signedInUser();
    expect((await other.browser.get(`${list}/${id}`)).status).to.equal(404);
  });

  itLong('say beside the field what is wrong, and keep what was typed', async () => {
    for (const [fields, text] of [
      [{ off: '200' }, 'from 1 to 100'],
      [{ kind: 'amount', off: 'much' }, 'Enter an amount'],
      [{ kind: 'amount', off: '5', currency: 'xyz' }, 'letters of a currency'],
      [{ kind: 'amount', off: '5.50', currency: 'jpy' }, 'Enter an amount'],
      [{ payments: 'some', count: '1' }, 'from 2 to 120'],
      [{ code: 'a b' }, 'letters from A to Z'],
      [{ most_uses: '0' }, 'whole number'],
      [{ ends: '2020-01-01' }, 'over already'],
      [{ ends: 'soon' }, 'Choose a date'],
      [{ starts: '2090-01-02', ends: '2090-01-01' }, 'must not be before'],
    ] as const) {
      const answer = await ada.browser.fill(`${list}/new`, { off: '20', ...fields });
      expect(answer.status, text).to.equal(422);
      expect(answer.text).to.include(text);
    }
    const all = {
      code: 'a b',
      off: '200',
      payments: 'some',
      count: '1',
      most_uses: '0',
      starts: 'soon',
      ends: '2020-01-01',
    };
    const { faults } = await ada.browser.fill(`${list}/new`, all);
    expect(Object.keys(faults)).to.have.members(['code', 'off', 'count', 'most_uses', 'starts', 'ends']);
    await make({ code: 'TAKEN' });
    expect((await ada.browser.fill(`${list}/new`, { code: 'taken', off: '5' })).text).to.include('already');
  });

  itLong('sell at the price after the coupon, which the page and the order show', async () => {
    const slug = await product();
    await make({ code: 'SAVE', target: slug });
    const opened = await guest.get(`${buy(slug)}?coupon=save`);
    expect(opened.text).to.include('Coupon SAVE (20 %)').and.include('−$9.80').and.include('$39.20');
    const ordered = await guest.submit(opened, { email: emailOf(), way: 'test' });
    const path = (ordered.location ?? '').replace(/\/pay$/, '');
    const pay = await guest.get(`${path}/pay`);
    await guest.submit(pay, {}, 'Pay $39.20');
    expect((await guest.get(path)).text)
      .to.include('Price$49.00CouponSAVE (20 %): −$9.80Total$39.20')
      .and.include('$39.20');
    expect((await guest.get(`${path}/invoice`)).text)
      .to.include('−$9.80')
      .and.include('$49.00')
      .and.include('$39.20');
  });

  itLong('show the price after a code that is typed, before anything is bought', async () => {
    const slug = await product();
    await make({ code: 'TYPED', target: slug });
    const email = emailOf();
    const opened = await guest.get(buy(slug));
    expect(opened.text).to.include('$49.00');
    // The Enter key presses the button that buys.
    const shown = await guest.submit(opened, { email, way: 'test', coupon: 'typed' });
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('$39.20');
    expect(shown.html).to.include(email);
    const applied = await apply(shown, '');
    expect(applied.text).not.to.include('$39.20');
    const again = await apply(applied, 'TYPED');
    expect((await guest.submit(again, { way: 'test' })).location).to.match(/^\/orders\//);
  });

  itLong('sell at the full price if the code is wrong, and say so', async () => {
    const slug = await product();
    await make({ code: 'ONLY-THIS', target: slug });
    const other = await product();
    for (const [code, text] of [
      ['NONE-SUCH', 'no such coupon'],
      ['ONLY-THIS', 'not for this product'],
    ] as const) {
      const opened = await guest.get(`${buy(other)}?coupon=${code}`);
      expect(opened.text).to.include(text).and.include('$49.00');
      const ordered = await guest.submit(opened, { email: emailOf(), way: 'test' });
      expect(ordered.location, text).to.match(/^\/orders\//);
    }
  });

  it('take an amount off prices in its currency, and off no others', async () => {
    const slug = await product({ prices: { eur: 4_500 } });
    await make({ code: 'FIVE-EURO', kind: 'amount', off: '5', currency: 'eur', target: slug });
    expect((await guest.get(`${buy(slug)}?coupon=FIVE-EURO&currency=eur`)).text).to.include('€40.00');
    const other = await guest.get(`${buy(slug)}?coupon=FIVE-EURO`);
    expect(other.text).to.include('in another currency').and.include('$49.00');
  });

  it('refuse a coupon that ended after the page was opened, and show the full price', async () => {
    const slug = await product();
    const id = await make({ code: 'SHORT', target: slug });
    const opened = await guest.get(`${buy(slug)}?coupon=SHORT`);
    await ada.browser.fill(`${list}/${id}/end`, {});
    const refused = await guest.submit(opened, { email: emailOf(), way: 'test' });
    expect(refused.status).to.equal(422);
    expect(refused.text)
      .to.include('price or the terms have changed')
      .and.include('$49.00')
      .and.include('no such coupon');
  });

  itLong('let one buyer use it once', async () => {
    const slug = await product();
    await make({ code: 'ONE-EACH', target: slug, most_per_buyer: '1' });
    const page = await guest.get(`${buy(slug)}?coupon=ONE-EACH`);
    expect(page.text, 'for guests').to.include('needs an account').and.include('$49.00');
    const { browser } = await service.signedInUser();
    const first = await browser.submit(await browser.get(`${buy(slug)}?coupon=ONE-EACH`), { way: 'test' });
    await browser.submit(await browser.get(first.location ?? ''), {}, 'Pay $39.20');
    const again = await browser.get(`${buy(slug)}?coupon=ONE-EACH`);
    const refused = await browser.submit(again, { way: 'test' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('cannot be used any more');
  });

  itLong('begin a subscription of a guest whose first payment is free by mail alone, as a free product', async () => {
    await using mailing = await startSellingService({
      ...shop,
      ...{ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' },
    });
    const seller = await mailing.signedInUser();
    const { slug } = await mailing.product(seller, 'jar', { ...onSale, offers: [monthly] });
    await seller.browser.fill(`${list}/new`, { code: 'FIRST-FREE', off: '100', target: slug });
    const path = `${buy(slug)}?coupon=FIRST-FREE`;
    const visitor = mailing.browser();
    const got = await visitor.submit(await visitor.get(path), { email: 'one@example.com', way: 'test' });
    expect(got.status).to.equal(200);
    expect(got.text)
      .to.include('one@example.com')
      .and.not.to.match(/LIC-|orders\//);
    expect((await mailing.letters('one@example.com'))[0]?.text).to.match(/LIC-[0-9A-Z]/);
    const own = await seller.browser.submit(await seller.browser.get(path), { way: 'test' });
    expect(own.location, 'somebody signed in').to.match(/^\/orders\//);
  });

  itLong('give a product for nothing with 100 %', async () => {
    const slug = await product();
    await make({ code: 'GIFT', off: '100', target: slug });
    const opened = await guest.get(`${buy(slug)}?coupon=GIFT`);
    expect(opened.text).to.include('Free');
    const got = await guest.submit(opened, { email: emailOf() });
    expect([200, 303]).to.include(got.status);
    expect(got.status === 303 ? (await guest.get(got.location ?? '')).html : got.html).to.match(/LIC-|E-mail|e-mail/);
  });

  itLong('do not ask for a code where the seller has no coupon, or nothing costs anything', async () => {
    const stranger = await service.signedInUser();
    expect((await guest.get(buy(await product({}, stranger)))).text).not.to.include('Coupon code');
    expect((await guest.get(buy(await product({ price: 0 })))).text).not.to.include('Coupon code');
    expect((await guest.get(buy(await product()))).text).to.include('Coupon code');
  });
});
