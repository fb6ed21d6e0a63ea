import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { waysToPay } from '../../../../core/purchases/ways-to-pay.ts';
import { by } from '../../../support/by.ts';
import { addForSale } from '../../../support/orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type StripeDouble, startStripeDouble } from '../../../support/stripe-double/stripe-double.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const here = '/admin/settings';
const path = `${here}/payments`;

describe('the settings of payments in the browser', () => {
  let stripe: StripeDouble;
  let service: DashboardService;
  let admin: Person;
  let product: Product;
  beforeEach(async () => {
    stripe = await startStripeDouble({ clock: { now: () => service.clock.now() } });
    service = await startDashboardService({ STRIPE_API_URL: stripe.url });
    admin = await service.signedInUser({ role: 'admin' });
    product = await addForSale(
      { products: await service.parts.get(t.productStore) },
      { isLive: false, ownerId: (await service.rows('users')).at(-1)?.id as never, status: 'published' },
    );
  });
  afterEach(async () => {
    await service.close();
    await stripe[Symbol.asyncDispose]();
  });

  const save = (fields: Readonly<Record<string, string>>) => admin.browser.fill(path, fields);
  const keys = () => ({ stripe_key: stripe.secretKey, stripe_webhook_secret: stripe.webhookSecret });
  const ways = async () =>
    waysToPay(await service.parts.get(t.paymentSettings), { ...product, currency: 'usd', takesUsdc: false });
  const buy = () => admin.browser.fill(`/marketplace/${product.slug}/buy`, {});
  const hook = async (body: string, header: string) =>
    (
      await fetch(`${service.url}/hooks/stripe`, {
        method: 'POST',
        body,
        headers: { 'Stripe-Signature': header, 'Content-Type': 'application/json' },
      })
    ).status;

  itLong('let buyers pay with Stripe at once, receive its events, and stop it without losing the secrets', async () => {
    expect([await ways(), await hook('{}', 't=1,v1=a')]).to.deep.equal([[], 404]);
    expect((await save({ take_stripe: 'yes', ...keys() })).location).to.equal(here);
    expect(await ways()).to.deep.equal(['stripe']);
    const bought = await buy();
    expect(bought.location, bought.text).to.include(`${stripe.url}/c/pay/`);
    expect(await hook('{}', 't=1,v1=a')).to.equal(400);
    await save({ take_stripe: 'no' });
    expect(await ways(), 'no new orders').to.deep.equal([]);
    expect(await hook('{}', 't=1,v1=a'), 'but events of those that were begun').to.equal(400);
    await save({ take_stripe: 'yes' });
    expect(await ways()).to.deep.equal(['stripe']);
  });

  itLong('never show the secrets again: not on pages, in the file, in the audit trail or in the database', async () => {
    await save({ take_stripe: 'yes', ...keys() });
    const pages = [path, here, `${here}/export`, '/admin/audit'];
    const shown = (await Promise.all(pages.map(async (one) => (await admin.browser.get(one)).html))).join('\n');
    const stored = JSON.stringify(await service.rows('site_settings'));
    for (const secret of Object.values(keys())) {
      expect(shown).to.not.include(secret);
      expect(stored).to.not.include(secret);
    }
    expect((await admin.browser.get(path)).text).to.include('It is set, and never shown.');
  });

  itLong('tell what to enter at Stripe', async () => {
    const page = await admin.browser.get(path);
    expect(page.text).to.include(`${service.url}/hooks/stripe`).and.include('checkout.session.completed');
  });

  itLong('422 with Stripe on and a secret missing, and for what is no secret, without repeating it', async () => {
    const incomplete = await save({ take_stripe: 'yes', stripe_key: stripe.secretKey });
    expect([incomplete.status, incomplete.faults.stripe_key]).to.deep.equal([
      422,
      'Stripe needs its key and its webhook secret.',
    ]);
    const wrong = await save({ stripe_key: 'pk_live_public', stripe_webhook_secret: 'secret' });
    expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['stripe_key', 'stripe_webhook_secret']]);
    expect(wrong.faults.stripe_key).to.match(/^It is a publishable key/);
    expect(wrong.html).to.not.include('pk_live_public');
    expect(await service.rows('site_settings')).to.deep.equal([]);
  });

  itLong('test the key: it works, is unknown, lacks a permission, or Stripe does not answer', async () => {
    const test = async () => {
      const answer = await admin.browser.post(`${path}/test`, {});
      return answer.status === 303 ? (await admin.browser.follow(answer)).notice : answer.text;
    };
    expect(await test()).to.include('Stripe has no key yet');
    await save({ take_stripe: 'yes', ...keys() });
    expect(await test()).to.equal('Stripe accepts the key. It is a test key, which moves no money.');
    stripe.failNext('GET /v1/disputes', 'forbidden');
    expect(await test()).to.include('The key has no permission for Disputes.');
    for (let n = 0; n < 2; n++) stripe.failNext('GET /v1/checkout/sessions', 'cut');
    expect(await test()).to.include('Stripe cannot be reached at the moment.');
    await save({ stripe_key: 'sk_test_of_somebody_else', other_stripe: 'yes' });
    expect(await test()).to.include('Stripe does not know this key');
  });

  itLong(
    '422 for a key of another account or mode, with the orders that would wait, until somebody agrees',
    async () => {
      expect((await admin.browser.get(path)).text).to.not.include('Another account or mode');
      await save({ take_stripe: 'yes', ...keys() });
      expect((await admin.browser.get(path)).text).to.include('No order waits for a payment now.');
      await buy();
      expect((await admin.browser.get(path)).text).to.include('1 order waits for a payment now.');
      const stored = await service.rows('site_settings');
      const other = { stripe_key: 'sk_live_51QweRtyUiopAsdfgaaaaaaaa' };
      const asked = await save(other);
      expect([asked.status, Object.keys(asked.faults)]).to.deep.equal([422, ['other_stripe']]);
      expect(asked.text).to.include('Nothing is changed yet.');
      expect(asked.html).to.not.include(other.stripe_key);
      expect(await service.rows('site_settings')).to.deep.equal(stored);
      expect((await save({ take_play_money: 'yes' })).location, 'other settings need no answer').to.equal(here);
      expect((await save({ ...other, other_stripe: 'yes' })).location).to.equal(here);
      expect(await service.rows('site_settings')).to.not.deep.equal(stored);
    },
  );

  it('403 at the test for other people, 303 to the sign-in page without a session', async () => {
    const { browser } = await service.signedInUser();
    expect((await browser.post(`${path}/test`, {})).status).to.equal(403);
    expect((await service.browser().post(`${path}/test`, {})).location).to.match(/^\/sign-in/);
  });

  it('switch transfers and play money on and off, and keep the instructions', async () => {
    await save({ payment_instructions: 'To my account' });
    expect(await ways()).to.deep.equal(['manual']);
    await save({ take_transfers: 'no', take_play_money: 'yes' });
    expect(await ways()).to.deep.equal(['test']);
    await save({ take_transfers: 'yes' });
    expect(await ways()).to.deep.equal(['test', 'manual']);
    const live = await addForSale({ products: await service.parts.get(t.productStore) }, { status: 'published' });
    expect(
      waysToPay(await service.parts.get(t.paymentSettings), { ...live, currency: 'usd', takesUsdc: false }),
      'never for live products',
    ).to.deep.equal(['manual']);
  });

  it('do without Stripe if a stored secret cannot be read: the other ways to pay go on', async () => {
    await save({ take_stripe: 'yes', ...keys(), payment_instructions: 'To my account' });
    const store = await service.parts.get(t.siteSettingsStore);
    await store.change(() => ({
      texts: { stripe_key: 'sealed otherwise' },
      events: [event('setting.changed', 'stripe_key', by, 0)],
    }));
    await (await service.parts.get(t.currentSettings)).refresh();
    expect(await ways()).to.deep.equal(['manual']);
    expect((await service.browser().get('/marketplace')).status).to.equal(200);
  });

  itLong('are those of PAYMENTS_URL if it is set, also without Stripe', async () => {
    await using fixed = await startDashboardService({ PAYMENTS_URL: 'test:' });
    const { browser } = await fixed.signedInUser({ role: 'admin' });
    await browser.post(path, { take_stripe: 'yes', ...keys() });
    expect((await fixed.parts.get(t.paymentSettings)).provider).to.equal(undefined);
    expect((await browser.get(path)).text).to.include('PAYMENTS_URL of the server sets this');
  });
});
