import { randomUUID } from 'node:crypto';
import { assert, expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import { parseLicenseKey, shortenLicenseKey } from '../../../../core/licensing/license-key.ts';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import { orderLimits } from '../../../../core/purchases/order-limits.ts';
import { refuse } from '../../../../core/refusal.ts';
import { operator } from '../../../support/by.ts';
import { inPlaceOfLookups } from '../../../support/domain-proofs.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { zipOf } from '../../../support/samples.ts';
import { orderTokenIn, shop } from '../../../support/shop.ts';
import type { WebAnswer, WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const statusOf = ({ status, location }: WebAnswer) => [
  status,
  location?.replace(/\/orders\/[0-9a-z]{24}/, '/orders/T'),
];
const keyIn = ({ html }: WebAnswer) => /LIC-[0-9A-Z-]{19}/.exec(html)?.[0] ?? '';
const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const unknownToken = '0'.repeat(24);

describe('the pages for buyers', () => {
  let service: SellingService;
  let guest: WebClient;
  let slugs = 0;
  before(async () => {
    service = await startSellingService(shop);
  });
  beforeEach(() => {
    // Orders of an hour are limited for each client.
    service.clock.advance(3_600_000);
    guest = service.browser();
  });
  after(() => service.close());

  /** Adds a product for sale, and returns its slug. */
  async function product(more: Parameters<SellingService['product']>[2] = {}, owner: Person | null = null) {
    slugs++;
    const { slug } = await service.product(owner, `swap-${slugs}`, { ...onSale, title: 'Swap', ...more });
    return slug;
  }
  /** Orders a product as a guest, and returns the token of the order. */
  const order = async (slug: string, email = `${slug}@example.com`, way = 'test') =>
    orderTokenIn(await guest.fill(`/marketplace/${slug}/buy`, { email, way }));
  /** Buys a product as a guest with play money. */
  async function bought(more: Parameters<SellingService['product']>[2] = {}, email?: string) {
    const token = await order(await product(more), email);
    await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $49.00');
    const page = await guest.get(`/orders/${token}`);
    return { token, page, key: keyIn(page) };
  }
  const kinds = async (to: string) => (await service.letters(to)).map(({ kind }) => kind);

  itLong('say what is bought, from whom, on which terms and for how much', async () => {
    const terms = { maxDomains: 3, duration: { days: 365, from: 'issue' }, onRefund: 'keep' } as const;
    const page = await guest.get(`/marketplace/${await product({ terms })}/buy`);
    expect([page.status, page.heading]).to.deep.equal([200, 'Buy Swap']);
    for (const text of ['$49.00', 'Ada & Co', '3 domains', '365 days', 'still works']) {
      expect(page.text).to.include(text);
    }
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).to.include("form-action 'self';");
    expect(page.headers.get('Cache-Control')).to.equal('no-store');
  });

  itLong('are not there for what is not for sale: 404', async () => {
    const paths = ['nothing', await product({ status: 'pending' }), await product({ archivedAt: 1 }), 'a%00b'];
    for (const slug of [...paths, await product({ isLive: false })]) {
      const path = `/marketplace/${slug}/buy`;
      expect((await guest.get(path)).status, slug).to.equal(404);
      expect((await guest.post(path, { email: 'bob@example.com' })).status, slug).to.equal(404);
    }
    for (const end of [
      '',
      '/receipt',
      '/invoice',
      '/invoice.pdf',
      '/credit-notes/1.pdf',
      '/billing',
      '/pay',
      '/state',
      '/continue',
      '/template',
      '/download/1',
    ]) {
      expect((await guest.get(`/orders/${unknownToken}${end}`)).status, end).to.equal(404);
    }
    for (const end of ['/send', '/pay', '/pay/pay', '/pay/refund', '/domains/a.com/move', '/domains/a.com/remove']) {
      expect((await guest.post(`/orders/${unknownToken}${end}`, { amount: '1' })).status, end).to.equal(404);
    }
    expect((await guest.get('/orders/a%00b')).status).to.equal(404);
  });

  itLong('refuse bad input: 422 with a message, and no order', async () => {
    const path = `/marketplace/${await product()}/buy`;
    const before = (await service.rows('orders')).length;
    const wrong = await guest.fill(path, { email: 'bob', way: 'test' });
    expect([wrong.status, wrong.faults]).to.deep.equal([
      422,
      { email: 'Enter one e-mail address, such as ada@example.com.' },
    ]);
    const both = await guest.fill(path, { email: 'bob', company: 'Acme', way: 'test' });
    expect(Object.keys(both.faults), 'all at once').to.have.members(['email', 'street', 'city', 'country']);
    const page = await guest.get(path);
    const sent = (fields: object) => guest.submit(page, { email: 'bob@example.com', way: 'test', ...fields });
    expect((await sent({ name: 'x'.repeat(101) })).faults.name).to.equal('Use at most 100 characters.');
    expect((await sent({ name: 'a\0b' })).status).to.equal(422);
    expect((await sent({ way: 'stripe' })).text).to.include('not for sale at the moment');
    expect((await sent({ way: 'gold' })).status).to.equal(422);
    expect((await sent({ way: 'free' })).status).to.equal(422);
    expect((await guest.post(path, { email: 'bob@example.com', way: 'test' })).status).to.equal(422);
    expect((await guest.post(path, {}, { 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
    expect(await service.rows('orders')).to.have.lengthOf(before);
  });

  itLong('let a guest buy: the key is on the page and in the mail, which leads to it', async () => {
    const slug = await product();
    const email = 'grace@example.com';
    const made = await guest.fill(`/marketplace/${slug}/buy`, {
      email: 'Grace@Example.com',
      name: 'Grace',
      way: 'test',
    });
    expect(statusOf(made)).to.deep.equal([303, '/orders/T/pay']);
    const paid = await guest.submit(await guest.follow(made), {}, 'Pay $49.00');
    expect(statusOf(paid)).to.deep.equal([303, '/orders/T']);
    const page = await guest.follow(paid);
    const [letter] = await service.letters(email);
    expect([letter?.kind, letter?.text.includes(keyIn(page))]).to.deep.equal(['order-paid', true]);
    expect(letter?.text).to.include(`/orders/${orderTokenIn(paid)}`);
    expect((await service.activate(keyIn(page), 'shop.example.com')).status).to.equal(200);
    const command = page.elements('input').find(({ attributes }) => attributes.id === 'try')?.attributes.value;
    expect(command).to.equal(`curl '${service.url}/status?license_key=${keyIn(page)}'`);
    expect(page.elements('meta').some(({ attributes }) => attributes.content === 'noindex')).to.equal(true);
    expect([page.headers.get('Cache-Control'), page.headers.get('Referrer-Policy')]).to.deep.equal([
      'no-store',
      'same-origin',
    ]);
    expect(page.headers.get('Content-Security-Policy')).to.include("form-action 'self';");
  });

  itLong('make no order at a price or on terms that the buyer has not seen, and show what they are now', async () => {
    const slug = await product();
    const path = `/marketplace/${slug}/buy`;
    const fields = { email: 'changed@example.com', way: 'test' };
    const before = (await service.rows('orders')).length;
    const store = await service.parts.get(t.productStore);
    const { id, terms } = (await store.findBySlug(slug)) ?? expect.fail();
    const told = event('product.changed', slug, { actor: 'ada' }, service.clock.now(), {});
    const dearer = { price: 9900 };
    const shorter = { terms: { ...terms, duration: { days: 30, from: 'issue' } } } as const;
    const offer = { slug: 'team', name: 'Team', kind: 'once', price: 100, maxDomains: 1, duration: null } as const;
    const offers = [{ ...offer, updatesMonths: null, entitlements: [], isListed: true }];
    const changes = [[dearer, '$99.00'] as const, [shorter, '30 days'] as const, [{ offers }, 'Team'] as const];
    for (const [change, text] of changes) {
      const page = await guest.get(path);
      good((await store.change(id, (before) => ({ after: { ...before, ...change }, event: told }))) ?? expect.fail());
      const sent = await guest.submit(page, fields);
      expect([sent.status, sent.text.includes('have changed since'), sent.text.includes(text)], text).to.deep.equal([
        422,
        true,
        true,
      ]);
    }
    expect(await service.rows('orders')).to.have.lengthOf(before);
    expect(statusOf(await guest.fill(path, fields))).to.deep.equal([303, '/orders/T/pay']);
  });

  it('lead two clicks at once to one order', async () => {
    const page = await guest.get(`/marketplace/${await product()}/buy`);
    const fields = { email: 'twice@example.com', way: 'manual' };
    const answers = await Promise.all([1, 2, 3].map(() => guest.submit(page, fields)));
    expect(new Set(answers.map(orderTokenIn)).size).to.equal(1);
    expect(await kinds('twice@example.com')).to.deep.equal(['order-instructions']);
    expect(orderTokenIn(await guest.submit(page, { ...fields, name: 'Other' }))).to.not.equal(
      orderTokenIn(answers[0] as WebAnswer),
    );
  });

  itLong(
    'lead back to the open order if somebody goes back and sends the form again, but only in the same browser',
    async () => {
      const slug = await product();
      const path = `/marketplace/${slug}/buy`;
      for (const way of ['manual', 'test']) {
        const fields = { email: `${way}@example.com`, way };
        const again = async (browser: WebClient, more = {}) =>
          orderTokenIn(await browser.fill(path, { ...fields, ...more }));
        const first = await again(guest);
        expect(await again(guest), way).to.equal(first);
        expect(await again(guest, { name: 'Other' }), 'another buyer').to.not.equal(first);
        expect(await again(service.browser()), 'another browser').to.not.equal(first);
      }
      const paid = await again(guest);
      await guest.submit(await guest.get(`/orders/${paid}/pay`), {}, 'Pay $49.00');
      expect(await again(guest), 'after the payment').to.not.equal(paid);

      async function again(browser: WebClient): Promise<string> {
        return orderTokenIn(await browser.fill(path, { email: 'paid@example.com', way: 'test' }));
      }
    },
  );

  itLong('cancel the order that waits if its buyer chooses another way to pay in the same browser', async () => {
    const slug = await product();
    const path = `/marketplace/${slug}/buy`;
    const states = async (tokens: readonly string[]) => {
      const rows = await service.rows('orders');
      return tokens.map((token) => rows.find((row) => row.token === token)?.state);
    };
    const fields = { email: 'changed@example.com', way: 'manual' };
    const page = await guest.get(path);
    const first = orderTokenIn(await guest.submit(page, fields));
    const second = orderTokenIn(await guest.submit(page, { ...fields, way: 'test' }));
    expect(await states([first, second])).to.deep.equal(['cancelled', 'open']);
    expect((await guest.get(`/orders/${first}`)).text).to.include('You owe nothing.');
    // The same page, kept by the browser: its first order is over, so there is a new one.
    const clicks = await Promise.all([1, 2].map(() => guest.submit(page, fields)));
    const third = orderTokenIn(clicks[0] as WebAnswer);
    expect(orderTokenIn(clicks[1] as WebAnswer)).to.equal(third);
    expect(await states([first, second, third])).to.deep.equal(['cancelled', 'cancelled', 'open']);
    // Others, another product and another offer leave it alone.
    const other = service.browser();
    await other.fill(path, { ...fields, way: 'test' });
    await guest.fill(`/marketplace/${await product()}/buy`, { ...fields, way: 'test' });
    expect(await states([third])).to.deep.equal(['open']);
    const events = (await service.rows('audit_log')).filter(({ type }) => type === 'order.changed');
    expect(events.length).to.be.at.least(2);
  });

  itLong(
    'leave one open order of a product, even if its buyer looks at other products meanwhile, or corrects the name',
    async () => {
      const email = 'one@example.com';
      const [jar, cup] = [await product(), await product()];
      const begin = async (slug: string, way: string, name = 'One') =>
        orderTokenIn(await guest.fill(`/marketplace/${slug}/buy`, { email, way, name }));
      const first = await begin(jar, 'manual');
      const other = await begin(cup, 'manual');
      expect(await begin(jar, 'manual'), 'the same order').to.equal(first);
      const tokens = [first, other, await begin(jar, 'test'), await begin(jar, 'test', 'The one')];
      const rows = await service.rows('orders');
      expect(tokens.map((token) => rows.find((row) => row.token === token)?.state)).to.deep.equal([
        'cancelled',
        'open',
        'cancelled',
        'open',
      ]);
      for (let n = 0; n < 6; n++) await begin(await product(), 'manual');
      expect(guest.cookies.get('order')?.split('.')).to.have.lengthOf(5);
    },
  );

  itLong('have one coloured message at a time, before and after the payment', async () => {
    const token = await order(await product());
    const boxes = ({ elements }: WebAnswer) =>
      ['p', 'section', 'div'].flatMap((name) =>
        elements(name).filter(({ attributes: { class: look = '' } }) => /\b(note|notice|marked)\b/.test(look)),
      );
    expect(boxes(await guest.get(`/orders/${token}`))).to.have.lengthOf(0);
    const paid = await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $49.00');
    const page = await guest.follow(paid);
    expect(boxes(page).map(({ text }) => text)).to.deep.equal(['Paid with play money.']);
    expect(page.text).to.include('Test order: no real money');
  });

  it('give a free product once, and send its key again to whoever asks again', async () => {
    const slug = await product({ price: 0 });
    const path = `/marketplace/${slug}/buy`;
    const got = await guest.fill(path, { email: 'free@example.com' });
    expect(statusOf(got)).to.deep.equal([303, '/orders/T']);
    const page = await guest.follow(got);
    expect(page.text).to.include('Free');
    expect(keyIn(page)).to.not.equal('');
    service.clock.advance(6 * 60_000);
    const again = await service.browser().fill(path, { email: 'free@example.com' });
    expect([again.status, again.alert]).to.deep.equal([
      422,
      'This address already has this free product. Its license key is on the page of that order.',
    ]);
    expect(await kinds('free@example.com')).to.deep.equal(['order-paid', 'order-paid']);
    expect((await guest.get(`/orders/${orderTokenIn(got)}/invoice`)).status).to.equal(404);
  });

  itLong(
    'give a guest a free product by mail alone if mails are sent, and the same page to who has it already',
    async () => {
      await using mailing = await startSellingService({ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' });
      const seller = await mailing.signedInUser();
      const { slug } = await mailing.product(null, 'free', { ...onSale, price: 0 });
      const path = `/marketplace/${slug}/buy`;
      const sent = async () => (await mailing.letters('free@example.com')).map(({ text }) => text);
      const asked = async () => {
        const answer = await mailing.browser().fill(path, { email: 'free@example.com' });
        return [answer.status, answer.heading, answer.text];
      };
      const first = await asked();
      expect(first[0]).to.equal(200);
      expect(first[2])
        .to.include('free@example.com')
        .and.to.not.match(/LIC-|orders\//);
      expect(await sent()).to.have.lengthOf(1);
      mailing.clock.advance(6 * 60_000);
      expect(await asked()).to.deep.equal(first);
      const [one = '', two] = await sent();
      expect(two).to.equal(one);
      // A double click makes one order, and leads to the same page.
      const page = await mailing.browser().get(path);
      const clicks = await Promise.all([1, 2].map(() => mailing.browser().submit(page, { email: 'two@example.com' })));
      expect(clicks.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(await mailing.letters('two@example.com')).to.have.lengthOf(1);
      const bought = await seller.browser.fill(path, {});
      expect(bought.location, 'somebody signed in').to.match(/^\/orders\//);
      const order = await seller.browser.get(bought.location ?? '');
      expect(order.text).to.include('Send the key by e-mail').and.to.include('We have sent it to');
    },
  );

  itLong('send a stranger few mails, however many clients order for the address; the page says the same', async () => {
    await using busy = await startSellingService({ ...shop, TRUSTED_PROXIES: 'loopback' });
    const { slug } = await busy.product(null, 'swap', onSale);
    const [{ limit: most }] = orderLimits.lettersByEmail;
    const pages: string[] = [];
    for (let n = 0; n < most + 3; n++) {
      const client = busy.browser({ 'X-Forwarded-For': `203.0.113.${n}` });
      const answer = await client.fill(`/marketplace/${slug}/buy`, { email: 'stranger@example.com', way: 'manual' });
      expect(answer.status).to.equal(303);
      pages.push((await client.follow(answer)).text.replaceAll(/[0-9A-Z]{4}-[0-9A-Z]{4}|\d+/g, 'N'));
    }
    expect(await busy.letters('stranger@example.com')).to.have.lengthOf(most);
    expect(new Set(pages).size).to.equal(1);
  });

  it('tell how to pay by hand, and show the key when the payment is recorded', async () => {
    const token = await order(await product(), 'hand@example.com', 'manual');
    const page = await guest.get(`/orders/${token}`);
    expect(page.text).to.include('Send it to IBAN DE00 1234.').and.to.include('Not paid yet');
    const [reference = ''] = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(page.text) ?? [];
    const letter = (await service.letters('hand@example.com'))[0]?.text;
    expect(letter).to.include('IBAN DE00 1234.').and.include(reference);
    expect(page.text).to.match(/waits for your payment until \w+ \d+, \d{4}/);
    expect(page.elements('a').some(({ text }) => text === 'Check again')).to.equal(true);
    expect((await guest.get(`/orders/${token}/pay`)).status).to.equal(404);
    expect((await guest.post(`/orders/${token}/pay/pay`, {})).status).to.equal(404);
    const { id } = (await (await service.parts.get(t.orderStore)).findByToken(token)) ?? {};
    const orders = await service.parts.get(t.orders);
    good(await orders.pay(String(id), { actor: operator, mode: 'live' }));
    expect(keyIn(await guest.get(`/orders/${token}`))).to.not.equal('');
  });

  itLong('say nothing of a key before the payment, and after a declined one', async () => {
    const token = await order(await product());
    const declined = await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Decline the payment');
    expect(statusOf(declined)).to.deep.equal([303, '/orders/T/pay']);
    const page = await guest.get(`/orders/${token}`);
    expect([keyIn(page), page.text.includes('Payment failed')]).to.deep.equal(['', true]);
    for (const end of ['invoice', 'invoice.pdf', 'template', 'download/1.2.0']) {
      expect((await guest.get(`/orders/${token}/${end}`)).status, end).to.equal(404);
    }
    expect((await guest.post(`/orders/${token}/domains/a.com/remove`, {})).status).to.equal(404);
    await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $49.00');
    expect(keyIn(await guest.get(`/orders/${token}`))).to.not.equal('');
  });

  it('refund a part and the rest, on the page and on the receipt', async () => {
    const { token, key } = await bought();
    const pay = `/orders/${token}/pay`;
    for (const [amount, fault] of [
      ['49.01', 'This is more than what can still be refunded.'],
      ['0', 'Enter an amount such as 10 or 9.99.'],
      ['much', 'Enter an amount such as 10 or 9.99.'],
    ] as const) {
      const answer = await guest.fill(pay, { amount });
      expect([answer.status, answer.faults], amount).to.deep.equal([422, { amount: fault }]);
    }
    expect(statusOf(await guest.fill(pay, { amount: '9.99' }))).to.deep.equal([303, '/orders/T']);
    const receipt = await guest.get(`/orders/${token}/invoice`);
    expect(receipt.heading).to.match(/^Invoice \d+$/);
    for (const text of ['Ada & Co', '@example.com', 'Swap', shortenLicenseKey(key), '$49.00', '−$9.99', '$39.01']) {
      expect(receipt.text).to.include(text);
    }
    expect(receipt.text, 'it goes to accountants').to.not.include(key);
    expect(receipt.text).to.not.include('Tax');
    await guest.submit(await guest.get(pay), {}, 'Refund $39.01');
    const page = await guest.get(`/orders/${token}`);
    expect(page.text).to.include('Refunded').and.to.include('does not work any more');
    expect((await service.licenseNow(key)).status).to.equal('revoked');
    expect((await guest.post(`${pay}/refund`, {})).status).to.equal(422);
    expect((await guest.post(`${pay}/dispute`, {})).status).to.equal(303);
  });

  itLong('dispute, win and lose', async () => {
    const { token, key } = await bought();
    const pay = `/orders/${token}/pay`;
    const status = async () => (await service.licenseNow(key)).status;
    expect((await guest.post(`${pay}/win`, {})).status).to.equal(422);
    await guest.submit(await guest.get(pay), {}, 'Dispute the payment');
    expect(await status()).to.equal('suspended');
    expect((await guest.get(`/orders/${token}`)).text).to.include('until this is settled');
    await guest.submit(await guest.get(pay), {}, 'The seller wins the dispute');
    expect(await status()).to.equal('active');
    const other = await bought();
    await guest.post(`/orders/${other.token}/pay/dispute`, {});
    await guest.submit(await guest.get(`/orders/${other.token}/pay`), {}, 'The buyer wins the dispute');
    expect((await service.licenseNow(other.key)).status).to.equal('revoked');
    expect((await guest.get(`/orders/${other.token}/invoice`)).text).to.include('taken this payment back');
  });

  itLong('say which hosts count as a domain, as the product says now', async () => {
    const strict = await bought();
    expect(strict.page.text)
      .to.include('www.example.com is one more')
      .and.include('machine or network count, too')
      .and.not.include('Preview sites');
    const hosts = { localHostsAreFree: true, previewHosts: ['*.vercel.app', 'staging.*'], wwwIsApex: true };
    const kind = await bought({ terms: { hosts } });
    expect(kind.page.text)
      .to.include('www.example.com is the same as example.com')
      .and.include('machine or network do not count')
      .and.include('Preview sites do not count: *.vercel.app, staging.*.');
  });

  itLong('have a command that tests the key, with the domain once it is in use, and what the seller says', async () => {
    const { token, key, page } = await bought({ description: 'Unpack the zip, then run `npm ci`.' });
    const command = async (given: WebAnswer) => {
      const call = given.elements('input').find(({ attributes }) => attributes.id === 'try')?.attributes.value ?? '';
      return await (await fetch(/^curl '([^']+)'$/.exec(call)?.[1] ?? '')).json();
    };
    expect(await command(page)).to.have.nested.property('license.status', 'active');
    expect(page.text).to.include('Unpack the zip, then run npm ci.');
    await service.activate(key, 'shop.example.com');
    expect(await command(await guest.get(`/orders/${token}`))).to.have.property('valid', true);
    await guest.post(`/orders/${token}/pay/dispute`, {});
    expect((await guest.get(`/orders/${token}`)).text).to.not.include('Test the key');
  });

  itLong('move and remove a domain, within the limits of the product', async () => {
    const { token, key } = await bought({ terms: { movesPerMonth: 1 } });
    const at = `/orders/${token}/domains/old.example.com`;
    await service.activate(key, 'old.example.com');
    const page = await guest.get(`/orders/${token}`);
    expect(page.text).to.include('old.example.com').and.to.include('1 of 1 domain in use. You can move a domain once');
    const wrong = await guest.fill(`${at}/move`, { to: '???', overlap: '0' });
    expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['to']]);
    const moved = await guest.fill(`${at}/move`, { to: 'https://new.example.com/shop', overlap: '0' });
    expect(statusOf(moved)).to.deep.equal([303, '/orders/T']);
    expect((await guest.follow(moved)).text)
      .to.include('new.example.com')
      .and.to.include('No domain can be moved');
    const second = await guest.fill(`/orders/${token}/domains/new.example.com/move`, { to: 'b.com', overlap: '0' });
    expect([second.status, second.alert]).to.deep.equal([422, 'Only 1 move of a license are allowed in a month.']);
    expect((await guest.fill(`${at}/remove`, {}).catch(() => guest.post(`${at}/remove`, {}))).status).to.equal(422);
    expect((await guest.post(`/orders/${token}/domains/new.example.com/remove`, {})).status).to.equal(303);
    expect((await service.licenseNow(key)).domains).to.deep.equal([]);
    expect((await guest.get(`/orders/${token}/domains/%3F/move`)).status).to.equal(404);
  });

  itLong('replace the key as often in a year as the product allows, and show the new one everywhere', async () => {
    const email = 'rotates@example.com';
    const { token, key, page } = await bought({ terms: { rotationsPerYear: 1 } }, email);
    expect(page.text).to.include('Replace key');
    await service.activate(key, 'a.example.com');
    const sent = await guest.fill(`/orders/${token}/key`, { overlap: '7' });
    expect(statusOf(sent)).to.deep.equal([303, '/orders/T']);
    const fresh = keyIn(await guest.follow(sent));
    expect(fresh).to.not.equal(key);
    expect((await service.verify(key, 'a.example.com')).body.valid).to.equal(true);
    expect((await service.verify(fresh, 'a.example.com')).body.valid).to.equal(true);
    expect(await kinds(email)).to.include('license-rotated');
    const again = await guest.fill(`/orders/${token}/key`, { overlap: '0' });
    expect([again.status, again.alert]).to.deep.equal([
      422,
      'The key can be replaced at most once in a year. Ask the seller.',
    ]);
    // A refund finds the license under its new key.
    await guest.post(`/orders/${token}/pay/dispute`, {});
    expect((await service.verify(fresh, 'a.example.com')).body.error).to.equal('suspended');
    expect((await service.verify(key, 'a.example.com')).body.error).to.equal('suspended');
  });

  itLong('do not offer a new key if the product allows none', async () => {
    const { token, key, page } = await bought();
    expect(page.text).to.not.include('Replace key');
    expect((await guest.fill(`/orders/${token}/key`, { overlap: '0' })).status).to.equal(422);
    expect(keyIn(await guest.get(`/orders/${token}`))).to.equal(key);
  });

  itLong('explain why a site does not work, in words for buyers', async () => {
    const { token, key } = await bought();
    await service.activate(key, 'shop.example.com');
    const ask = async (domain: string) => (await guest.get(`/orders/${token}?domain=${domain}`)).text;
    expect(await ask('shop.example.com')).to.include('Valid. The license works on this domain.');
    expect(await ask('www.shop.example.com')).to.include('Your license works on shop.example.com.');
    expect(await ask('www.shop.example.com')).to.include('Move or remove it on this page');
    await guest.post(`/orders/${token}/pay/dispute`, {});
    expect(await ask('shop.example.com')).to.include('The payment is disputed');
    expect(await ask('%00')).to.not.include('Valid.');
  });

  itLong('show what to publish to prove a domain, and look it up at the press of a button', async () => {
    const { found, lookedUpFor } = await inPlaceOfLookups(service.parts);
    const { token, key } = await bought({ terms: { domainProof: 'to_take', maxDomains: 2 } });
    await service.activate(key, 'shop.example.com');
    await service.activate(key, 'localhost');
    lookedUpFor.length = 0;
    const orderPage = await guest.get(`/orders/${token}`);
    const links = orderPage.links.map(({ href }) => href).filter((href) => href.endsWith('/prove'));
    expect(links, 'only for what can be proven').to.have.lengthOf(1);
    const at = `/orders/${token}/domains/shop.example.com/prove`;
    const page = await guest.get(at);
    const values = page.elements('code').map(({ text }) => text);
    expect(values[0]).to.match(/^lk=[\w-]{43}$/);
    expect(values.slice(1, 3)).to.deep.equal([
      '_latchkey.shop.example.com',
      'https://shop.example.com/.well-known/latchkey.txt',
    ]);
    expect(lookedUpFor, 'the page itself looks nothing up').to.deep.equal([]);
    for (const [result, says] of [
      [undefined, 'There is no such TXT record of _latchkey.shop.example.com.'],
      [{ record: 'other_text', file: 'nothing' }, 'The TXT record of _latchkey.shop.example.com has another text.'],
      [{ record: 'failed', file: 'failed' }, 'gave no answer about _latchkey.shop.example.com.'],
      [refuse('rate_limit_exceeded'), 'Too many proofs are being looked up. Try again in some seconds.'],
    ] as const) {
      if (result) found.set('shop.example.com', result);
      const again = await guest.fill(at, {});
      expect([again.status, again.alert?.includes(says)], says).to.deep.equal([422, true]);
    }
    expect(new Set(lookedUpFor).size, 'lookups count for the network of the buyer').to.equal(1);
    found.set('shop.example.com', 'found');
    const proven = await guest.follow(await guest.fill(at, {}));
    expect(proven.notice).to.equal('The domain is proven. You can take the text away.');
    expect(proven.text).to.match(/shop\.example\.com Proven/);
    expect(proven.links.filter(({ href }) => href.endsWith('/prove'))).to.deep.equal([]);
    const { domains } = await service.licenseNow(key);
    expect(domains.map(({ provenAt }) => provenAt)).to.deep.equal([undefined, service.clock.now()]);
    expect((await guest.get(at)).text).to.include('There is nothing to prove');
    const twice = await guest.post(at, {});
    expect([twice.status, twice.text.includes('There is nothing to prove')]).to.deep.equal([422, true]);

    // A domain that is not activated yet: the explanation leads to the same page.
    const why = await guest.get(`/orders/${token}?domain=new.example.com`);
    expect(why.text).to.include('All domains of the license are in use').and.to.include('is not published');
    const [next = ''] = why.links
      .map(({ href }) => href)
      .filter((href) => href.endsWith('/new.example.com/prove'))
      .map((href) => href.replace(/^[./]*/, '/'));
    found.set('new.example.com', 'found');
    expect((await guest.follow(await guest.fill(next, {}))).notice).to.include('enter the license key on your site');
    expect((await guest.get(`/orders/${token}?domain=new.example.com`)).text).to.include(
      'takes the place of localhost',
    );
    expect((await service.licenseNow(key)).domains).to.have.lengthOf(2);
    const plain = await bought();
    expect((await guest.post(`/orders/${plain.token}/domains/a.example.com/prove`, {})).status).to.equal(422);
    const guarded = await bought({ terms: { deactivation: 'proof' } });
    await service.activate(guarded.key, 'kept.example.com');
    found.set('kept.example.com', 'found');
    const kept = await guest.fill(`/orders/${guarded.token}/domains/kept.example.com/prove`, {});
    expect((await guest.follow(kept)).notice).to.include('Leave it there: deactivating the domain');
    expect((await guest.get(`/orders/${unknownToken}/domains/a.example.com/prove`)).status).to.equal(404);
  });

  itLong('send the key again, at most once in five minutes', async () => {
    await using mailing = await startSellingService({
      ...shop,
      MAIL_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@b.example',
    });
    const { slug } = await mailing.product(null, 'again', onSale);
    const buyer = mailing.browser();
    const token = orderTokenIn(
      await buyer.fill(`/marketplace/${slug}/buy`, { email: 'again@example.com', way: 'test' }),
    );
    const send = async () => buyer.post(`/orders/${token}/send`, {});
    const early = await send();
    expect([early.status, early.text.includes('not paid')]).to.deep.equal([422, true]);
    await buyer.submit(await buyer.get(`/orders/${token}/pay`), {}, 'Pay $49.00');
    const soon = await send();
    expect([soon.status, soon.text.includes('in five minutes')]).to.deep.equal([422, true]);
    mailing.clock.advance(5 * 60_000);
    expect((await buyer.follow(await send())).notice).to.equal('The mail with the license key is on its way.');
    expect(await mailing.letters('again@example.com')).to.have.lengthOf(2);
    const unsent = await bought();
    expect((await guest.post(`/orders/${unsent.token}/send`, {})).status, 'without a mail server').to.equal(404);
  });

  itLong('give the version that was bought and later ones, but no earlier and no other ones', async () => {
    const ada = await service.signedInUser();
    const made = await ada.browser.fill('/selling/live/products/new', {
      ...{ title: 'Files', tagline: 'Many', module: 'dapp', price: '49', description: 'A product with files.' },
      product_zip: fileOf(await zipOf([{ name: 'one' }])),
      thumbnail: new File([new Uint8Array((await import('../../../support/samples.ts')).pngOf())], 't.png'),
    });
    const id = made.location?.split('/').at(-1) ?? '';
    good(await service.products.change(id, 'approve', operator));
    const add = async (number: string) =>
      ada.browser.fill(`/selling/live/products/${id}/versions/new`, {
        number,
        product_zip: fileOf(await zipOf([{ name: number }])),
      });
    await add('2');
    const { slug } = good(await service.products.find(id, operator));
    const token = await order(slug);
    expect((await guest.get(`/orders/${token}/download/2`)).status).to.equal(404);
    await guest.post(`/orders/${token}/pay/pay`, {});
    await add('3');
    const page = await guest.get(`/orders/${token}`);
    const links = page.links.map(({ href }) => href).filter((href) => href.includes('/download/'));
    expect(links.map((href) => href.split('/').at(-1))).to.deep.equal(['3', '2']);
    const file = await guest.get(`/orders/${token}/download/2`);
    expect([file.status, file.headers.get('Cache-Control')]).to.deep.equal([302, 'no-store']);
    const link = file.headers.get('Location') ?? '';
    const response = await fetch(link);
    expect(response.headers.get('X-Robots-Tag')).to.equal('noindex');
    expect(Buffer.from(await response.arrayBuffer()).equals(await zipOf([{ name: '2' }]))).to.equal(true);
    for (const number of ['1', '4', '%00', '..%2F2']) {
      expect((await guest.get(`/orders/${token}/download/${number}`)).status, number).to.equal(404);
    }
    await guest.post(`/orders/${token}/pay/refund`, {});
    expect((await guest.get(`/orders/${token}/download/2`)).status).to.equal(404);
    expect((await fetch(link)).status, 'a link made before the refund').to.equal(403);
  });

  it('say the same about the license on the page of the product and beside the form', async () => {
    const slug = await product({});
    const termsIn = (page: Awaited<ReturnType<typeof guest.get>>) =>
      /class="contents">(.*?)<\/ul>/s.exec(page.html)?.[1];
    const terms = termsIn(await guest.get(`/marketplace/${slug}`));
    expect(terms).to.match(/Works on \d/);
    expect(termsIn(await guest.get(`/marketplace/${slug}/buy`))).to.equal(terms);
  });

  describe('with several offers', () => {
    const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
      ...{ slug, name: `The ${slug}`, kind: 'once', price: 9_900, maxDomains: 5, duration: null },
      ...{ updatesMonths: 12, entitlements: ['pro'], isListed: true },
      ...more,
    });
    const offers = [
      offer('team'),
      offer('solo', { price: 2_900, maxDomains: 1 }),
      offer('secret', { isListed: false }),
    ];

    itLong(
      'sell the chosen one at its price and on its terms, without script, and say so on order and receipt',
      async () => {
        const slug = await product({ offers });
        const shop = await guest.get(`/marketplace/${slug}`);
        for (const text of ['from $29.00', 'The team', '$99.00', 'Works on 5 domains', 'New releases for 12 months']) {
          expect(shop.text).to.include(text);
        }
        expect(shop.text).to.not.include('secret');
        const path = `/marketplace/${slug}/buy?offer=solo`;
        const page = await guest.get(path);
        for (const text of ['The solo', '$29.00', 'Includes pro']) expect(page.text).to.include(text);
        const token = orderTokenIn(await guest.fill(path, { email: `${slug}@example.com`, way: 'test' }));
        await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $29.00');
        const order = await guest.get(`/orders/${token}`);
        for (const text of ['The solo', '$29.00', 'Includes']) expect(order.text).to.include(text);
        expect((await guest.get(`/orders/${token}/invoice`)).text).to.include('Swap: The solo');
        expect((await service.licenseNow(keyIn(order))).license).to.deep.include({
          maxDomains: 1,
          entitlements: ['pro'],
        });
      },
    );

    itLong('lead back to the open order of each offer, and make no second one', async () => {
      const path = `/marketplace/${await product({ offers })}/buy`;
      const begin = async (slug: string, way = 'manual') =>
        orderTokenIn(await guest.fill(`${path}?offer=${slug}`, { email: 'both@example.com', way }));
      const [team, solo] = [await begin('team'), await begin('solo')];
      expect([await begin('team'), await begin('solo')]).to.deep.equal([team, solo]);
      await begin('team', 'test');
      expect((await guest.get(`/orders/${team}`)).text, 'another way to pay').to.include('You owe nothing.');
    });

    it('sell those that are not listed by their link, the first listed one without a choice, and no others', async () => {
      const slug = await product({ offers });
      const path = `/marketplace/${slug}/buy`;
      expect((await guest.get(`${path}?offer=secret`)).text).to.include('The secret');
      expect((await guest.get(path)).text).to.include('The team');
      expect((await guest.get(`${path}?offer=team&offer=solo`)).text).to.include('The team');
      for (const end of ['?offer=none', '?offer=%00', '?offer=constructor']) {
        expect((await guest.get(path + end)).status, end).to.equal(404);
      }
      const fields = { once: randomUUID(), email: 'x@example.com', way: 'test', offer: 'none' };
      const sent = await guest.post(path, fields);
      expect(sent.status).to.equal(404);
    });
  });

  describe('of a license that can be renewed', () => {
    const offer = (slug: string, kind: Offer['kind'], more: Partial<Offer> = {}): Offer => ({
      ...{ slug, name: `The ${slug}`, kind, price: 3_000, maxDomains: 1, duration: { days: 30, from: 'issue' } },
      ...{ updatesMonths: null, entitlements: [], isListed: true },
      ...more,
    });
    const offers = [
      offer('try', 'trial', { price: 0, duration: { days: 14, from: 'issue' } }),
      offer('month', 'once', { price: 6_000 }),
      offer('more', 'renewal'),
      offer('team', 'upgrade', { price: 20_000, maxDomains: 9, entitlements: ['team'] }),
    ];
    const end = async (key: string) => (await service.licenseNow(key)).license.expiresAt ?? 0;
    const month = 30 * 86_400_000;

    async function boughtBy(wanted: string) {
      const slug = await product({ offers });
      const sent = await guest.fill(`/marketplace/${slug}/buy?offer=${wanted}`, {
        email: `${slug}@example.com`,
        ...(wanted !== 'try' && { way: 'test' }),
      });
      if (wanted === 'try') return { slug, token: await orderOf(slug) };
      const token = orderTokenIn(sent);
      await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $60.00');
      return { slug, token };
    }
    /** Where no guest is told the page of a free order. */
    const orderOf = async (slug: string) =>
      String((await service.rows('orders')).find(({ email }) => email === `${slug}@example.com`)?.token);

    itLong('show what can be paid, and give the same key more time when it is paid', async () => {
      const { token } = await boughtBy('month');
      const before = await guest.get(`/orders/${token}`);
      const key = keyIn(before);
      for (const text of ['Renew or upgrade', 'The more', 'Renew for $30.00', '30 days more', 'The team']) {
        expect(before.text).to.include(text);
      }
      expect(before.text).to.include('less $60.00 for what you have not used yet').and.to.include('Change for $140.00');
      const first = await end(key);
      const page = await guest.get(`/orders/${token}/renew?offer=more`);
      expect([page.status, page.heading]).to.deep.equal([200, 'Renew your license: The more']);
      const sent = await guest.submit(page, { way: 'test' });
      const renewal = orderTokenIn(sent);
      expect((await guest.submit(page, { way: 'test' })).location, 'sent twice').to.equal(sent.location);
      const open = await guest.get(`/orders/${renewal}`);
      expect(open.text).to.include('Your license changes as soon as you have paid').and.to.not.include(key);
      await guest.submit(await guest.get(`/orders/${renewal}/pay`), {}, 'Pay $30.00');
      expect((await end(key)) - first).to.equal(month);
      const paid = await guest.get(`/orders/${renewal}`);
      expect(paid.text).to.include('Your license has changed').and.to.not.include('Downloads');
      expect(paid.links.map(({ href }) => href.split('/').at(-1))).to.include(token);
      const seller = { actor: operator, mode: 'live' } as const;
      const known = await (await service.parts.get(t.orderList)).ofLicense(
        parseLicenseKey(key) ?? assert.fail(),
        seller,
      );
      expect([known.sold?.token, ...known.renewals.map((one) => one.token)]).to.deep.equal([token, renewal]);
      await guest.post(`/orders/${renewal}/pay/refund`, {});
      expect((await end(key)) - first).to.equal(0);
      expect((await guest.get(`/orders/${renewal}`)).text).to.include('What you paid for was taken off your license');
      expect((await guest.get(`/orders/${token}`)).text).to.include('Active');
    });

    it('give other terms for the price less the unused part', async () => {
      const { token } = await boughtBy('month');
      service.clock.advance(month / 2);
      const page = await guest.get(`/orders/${token}/renew?offer=team`);
      for (const text of ['$200.00, less $30.00', '$170.00', 'Includes']) expect(page.text).to.include(text);
      const upgrade = orderTokenIn(await guest.submit(page, { way: 'test' }));
      await guest.submit(await guest.get(`/orders/${upgrade}/pay`), {}, 'Pay $170.00');
      const { license } = await service.licenseNow(keyIn(await guest.get(`/orders/${token}`)));
      expect(license).to.deep.include({ maxDomains: 9, entitlements: ['team'] });
    });

    itLong('make a trial a bought license with its key', async () => {
      const { slug, token } = await boughtBy('try');
      expect((await guest.get(`/marketplace/${slug}`)).text).to.include('Try it for 14 days, free');
      const before = await guest.get(`/orders/${token}`);
      expect(before.text).to.include('The month').and.to.include('Change for $60.00');
      const order = orderTokenIn(
        await guest.submit(await guest.get(`/orders/${token}/renew?offer=month`), { way: 'test' }),
      );
      await guest.submit(await guest.get(`/orders/${order}/pay`), {}, 'Pay $60.00');
      expect((await end(keyIn(before))) - service.clock.now()).to.equal(month);
    });

    itLong('are not there for other offers, other orders and unknown ways to pay', async () => {
      const { slug, token } = await boughtBy('month');
      for (const wanted of ['none', 'try', 'month', '%00', '']) {
        expect((await guest.get(`/orders/${token}/renew?offer=${wanted}`)).status, wanted).to.equal(404);
      }
      for (const wanted of ['more', 'team']) {
        expect((await guest.get(`/marketplace/${slug}/buy?offer=${wanted}`)).status, wanted).to.equal(404);
      }
      const page = await guest.get(`/orders/${token}/renew?offer=more`);
      for (const way of ['gold', 'free', 'stripe', '']) {
        expect((await guest.submit(page, { way })).status, way).to.equal(422);
      }
      const renewal = orderTokenIn(await guest.submit(page, { way: 'test' }));
      expect((await guest.get(`/orders/${renewal}/renew?offer=more`)).status, 'of a renewal').to.equal(404);
      for (const path of ['/download/1', '/template']) {
        expect((await guest.get(`/orders/${renewal}${path}`)).status, path).to.equal(404);
      }
      expect((await guest.post(`/orders/${renewal}/domains/a.com/remove`, {})).status).to.be.oneOf([404, 422]);
    });
  });

  itLong(
    'give the releases of the time in which the license gets updates, and say why not the later ones',
    async () => {
      const ada = await service.signedInUser();
      const slug = await product({ zip: 'products/a.zip', version: '1' }, ada);
      const { id } = good(
        await (await service.parts.get(t.sellerProducts)).show(slug, { actor: operator, mode: 'live' }),
      );
      const add = async (number: string, more: object = {}) =>
        await ada.browser.fill(`/selling/live/products/${id}/versions/new`, {
          number,
          ...more,
          product_zip: fileOf(await zipOf([{ name: number }])),
        });
      await add('2');
      const token = await order(slug);
      await guest.submit(await guest.get(`/orders/${token}/pay`), {}, 'Pay $49.00');
      const key = keyIn(await guest.get(`/orders/${token}`));
      const set = async (updatesUntil: number | null) =>
        good(
          await (await service.parts.get(t.sellerLicenses)).change(
            key,
            { updatesUntil },
            { actor: operator, mode: 'live' },
          ),
        );
      service.clock.advance(1_000);
      await add('3');
      service.clock.advance(1_000);
      const shownLinks = async () => {
        const page = await guest.get(`/orders/${token}`);
        const links = page.links.map(({ href }) => href).filter((href) => href.includes('/download/'));
        return { text: page.text, numbers: links.map((href) => href.split('/').at(-1)) };
      };
      expect((await shownLinks()).numbers).to.deep.equal(['3', '2']);
      await set(service.clock.now() - 1_500);
      const after = await shownLinks();
      expect(after.numbers).to.deep.equal(['2']);
      expect(after.text).to.include('The updates of your license ended on').and.include('Released later');
      const refused = await guest.get(`/orders/${token}/download/3`);
      expect(refused.status).to.equal(403);
      expect(refused.text).to.match(
        /updates of this license ended on \d{4}-\d\d-\d\d \(UTC\)\. Version 3 was released later/,
      );
      expect((await guest.get(`/orders/${token}/download/2`)).status).to.equal(302);
      await set(1);
      expect((await shownLinks()).numbers, 'what was bought stays').to.deep.equal(['2']);
      await add('4', { everybody: ['yes'] });
      expect((await shownLinks()).numbers, 'for everybody').to.deep.equal(['4', '2']);
      expect((await guest.get(`/orders/${token}/download/4`)).status).to.equal(302);
      expect((await ada.browser.get(`/selling/live/products/${id}`)).text).to.include('For everybody');
      await set(null);
      expect((await shownLinks()).numbers).to.deep.equal(['4', '3', '2']);
    },
  );

  it('give the template that is sold with a product, once it is paid', async () => {
    const template = await service.template({ tier: 'pro' });
    const token = await order(await product({ templateId: template.id }));
    expect((await guest.get(`/orders/${token}/template`)).status).to.equal(404);
    await guest.post(`/orders/${token}/pay/pay`, {});
    expect((await guest.get(`/orders/${token}`)).text).to.include(template.title);
    const file = await guest.get(`/orders/${token}/template`);
    expect(file.status).to.equal(302);
    expect((await fetch(file.headers.get('Location') ?? '')).status).to.equal(200);
    const [row] = (await service.rows('templates')).filter(({ id }) => id === template.id);
    expect(row?.download_count).to.equal(1);
  });

  it('take back the link to a template that the account API gave, with a refund', async () => {
    const template = await service.template({ tier: 'pro' });
    const ada = await service.signedInUser();
    const slug = await product({ templateId: template.id });
    const token = orderTokenIn(await ada.browser.fill(`/marketplace/${slug}/buy`, { way: 'test' }));
    await ada.browser.post(`/orders/${token}/pay/pay`, {});
    const templates = await service.parts.get(t.templates);
    const user = good(await (await service.parts.get(t.accounts)).find(ada.email));
    const download = async () => await templates.download({ user, mode: 'live' }, template.slug);
    const { url } = good(await download());
    expect((await fetch(url)).status).to.equal(200);
    await ada.browser.post(`/orders/${token}/pay/refund`, {});
    expect((await fetch(url)).status).to.equal(403);
    expect(await download()).to.include({ reason: 'not_purchased' });
  });
});

/** A file as a person chooses it. */
function fileOf(bytes: Uint8Array): File {
  return new File([new Uint8Array(bytes)], 'product.zip');
}

describe('the page on which people buy, while Stripe is out of reach', () => {
  itLong('gets 503 with Retry-After, and leaves no open order', async () => {
    await using service = await startSellingService({
      PAYMENTS_URL: 'stripe:',
      STRIPE_SECRET_KEY: 'sk_test_0123456789abcdefghijklmn',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdefghijklmnop',
      STRIPE_API_URL: 'http://127.0.0.1:1',
    });
    // Only who manages a product in test mode can buy it.
    const admin = await service.signedInUser({ role: 'admin' });
    await service.product(null, 'swap', { ...onSale, isLive: false });
    const page = await admin.browser.fill('/marketplace/swap/buy', {});
    expect([page.status, page.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect((await service.rows('orders')).map(({ state }) => state)).to.deep.equal(['expired']);
  });
});
