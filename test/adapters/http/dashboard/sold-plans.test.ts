import { expect } from 'chai';
import { startJobs } from '../../../../apps/server/jobs.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import { operator } from '../../../support/by.ts';
import { eventually } from '../../../support/eventually.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { orderTokenIn } from '../../../support/shop.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4_900, ownerId: null } as const;
const month = { days: 30, from: 'issue' } as const;
const addressesOf = ({ links }: WebAnswer) => links.map(({ href }) => href);

describe('plans that are sold like products', () => {
  let service: SellingService;
  let ada: Person;
  let admin: Person;
  beforeEach(async () => {
    service = await startSellingService({ PAYMENTS_URL: 'test:demo,manual:', PAYMENT_INSTRUCTIONS: 'Pay us.' });
    ada = await service.signedInUser({ email: 'ada@example.com' });
    admin = await service.signedInUser({ role: 'admin', email: 'root@example.com' });
    await service.product(null, 'pro-plan', { ...onSale, title: 'Pro', terms: { duration: month } });
    await service.product(null, 'big-plan', { ...onSale, title: 'Big', price: 90_000 });
  });
  afterEach(() => service.close());

  /** As the page of settings does it. */
  const link = async (fields: Readonly<Record<string, string>>) =>
    await admin.browser.fill('/admin/settings/plans', fields);
  /** What the server does each minute. */
  const follow = async () => await (await service.parts.get(t.soldPlans)).follow(() => true);
  const buy = async (slug: string, more: Readonly<Record<string, string>> = {}, buyer = ada.browser) => {
    const token = orderTokenIn(await buyer.fill(`/marketplace/${slug}/buy`, { way: 'test', ...more }));
    await buyer.post(`/orders/${token}/pay/pay`, {});
    return token;
  };
  const plan = async () => await ada.browser.get('/account');
  const tier = async () => good(await service.accounts.find(ada.email)).tier;
  const idOf = async ({ email }: Person) => good(await service.accounts.find(email)).id;

  itLong('are not mentioned while none is sold', async () => {
    for (const fields of [{}, { plan_pro: 'unknown' }]) {
      await link(fields);
      const { text } = await plan();
      expect(text).to.not.include('Upgrade').and.to.not.include('payment');
    }
    expect(await follow()).to.equal(0);
  });

  itLong('are linked by an administrator, who gives the password, by a slug', async () => {
    const wrong = await link({ plan_pro: 'Not a slug' });
    expect([wrong.status, wrong.faults.plan_pro]).to.deep.equal([
      422,
      'Enter a slug: lower-case letters and digits, with single hyphens between them.',
    ]);
    expect((await link({ plan_pro: 'pro-plan' })).location).to.equal('/admin/settings');
    expect((await admin.browser.get('/admin/settings')).text).to.include('pro-plan');
    service.clock.advance(3_600_000);
    const { forms } = await admin.browser.get('/admin/settings/plans');
    expect(forms.flatMap(({ names }) => names)).to.include('current_password');
  });

  itLong('say what they cost and add, and lead to the product', async () => {
    const offer: Offer = {
      ...{ slug: 'year', name: 'A year', kind: 'once', price: 19_900, maxDomains: 1, duration: month },
      ...{ updatesMonths: null, entitlements: [], isListed: true },
    };
    const offers = [offer, { ...offer, slug: 'month', price: 1_900 }];
    await service.product(null, 'offered', { ...onSale, offers });
    await link({ plan_pro: 'offered', plan_enterprise: 'big-plan' });
    const page = await plan();
    for (const text of ['Upgrade your plan', 'Pro plan from $19.00', 'Enterprise plan $900.00', 'Priority support']) {
      expect(page.text).to.include(text);
    }
    expect(page.text)
      .to.include('within a minute after the payment')
      .and.to.include('20 GiB')
      .and.to.include('200 GiB');
    expect(addressesOf(page)).to.include.members(['./marketplace/offered', './marketplace/big-plan']);
    await service.accounts.setTier(ada.email, 'pro', operator);
    expect(addressesOf(await plan()))
      .to.include('./marketplace/big-plan')
      .and.to.not.include('./marketplace/offered');
    await service.accounts.setTier(ada.email, 'enterprise', operator);
    expect((await plan()).text).to.not.include('Upgrade');
  });

  itLong('are not offered if the product is in test mode, archived or not published', async () => {
    const blank = { ...onSale, isLive: true };
    await service.product(null, 'testing', { ...blank, isLive: false });
    await service.product(null, 'gone', { ...blank, archivedAt: 1 });
    await service.product(null, 'waiting', { ...blank, status: 'pending' });
    for (const slug of ['testing', 'gone', 'waiting']) {
      await link({ plan_pro: slug });
      expect((await plan()).text, slug).to.not.include('Upgrade');
    }
  });

  itLong(
    'are given after a purchase by the job of the server, renewed on the page of the order, and taken away by a refund',
    async () => {
      await link({ plan_pro: 'pro-plan' });
      const token = await buy('pro-plan');
      const before = await plan();
      expect(before.text).to.include('Free plan').and.to.include('You have paid for the Pro plan until');
      expect(before.text).to.include('Your plan changes within a minute').and.to.not.include('Upgrade');
      const stop = await startJobs(service.parts);
      await eventually('the plan is given', async () => (await tier()) === 'pro');
      await stop();
      const after = await plan();
      expect(after.text).to.include('Pro plan').and.to.include('You have paid for the Pro plan until');
      expect(after.text).to.not.include('within a minute');
      expect(addressesOf(after)).to.include(`./orders/${token}`);
      const account = await service.keyOf(good(await service.accounts.find(ada.email)));
      expect((await account.get('/api/auth/me')).body).to.include({ tier: 'pro' });
      await ada.browser.post(`/orders/${token}/pay/refund`, {});
      await follow();
      expect((await plan()).text)
        .to.include('Free plan')
        .and.to.not.include('You have paid');
      const told = (await service.rows('audit_log')).filter(({ type }) => type === 'user.tier_set');
      expect(told.map(({ actor, subject, data }) => [actor, subject, JSON.parse(String(data))])).to.deep.equal([
        ['server', ada.email, { tier: 'pro', paid: 'pro' }],
        ['server', ada.email, { tier: 'free', paid: null }],
      ]);
    },
  );

  itLong('end with the license', async () => {
    await link({ plan_pro: 'pro-plan' });
    await buy('pro-plan');
    await follow();
    service.clock.advance(30 * 86_400_000 - 1);
    await follow();
    expect(await tier()).to.equal('pro');
    service.clock.advance(1);
    await follow();
    expect(await tier()).to.equal('free');
  });

  itLong('of a guest count once the account with the address has the order', async () => {
    await link({ plan_pro: 'pro-plan' });
    await buy('pro-plan', { email: ada.email }, service.browser());
    await follow();
    expect((await plan()).text)
      .to.include('Free plan')
      .and.to.include('Upgrade');
    await ada.browser.get('/account/purchases');
    await follow();
    expect((await plan()).text).to.include('You have paid for the Pro plan');
  });

  itLong('stand beside what administrators give, who see and change it', async () => {
    await link({ plan_pro: 'pro-plan', plan_enterprise: 'big-plan' });
    const path = `/admin/users/${await idOf(ada)}`;
    expect((await admin.browser.get(path)).text).to.not.include('Assigned plan');
    await buy('pro-plan');
    await follow();
    const shown = async () => (await admin.browser.get(path)).text;
    expect(await shown()).to.match(/Paid plan\s*Pro\s*Assigned plan\s*Free/);
    const page = await admin.browser.get(`${path}/plan`);
    expect(page.forms.map(({ values }) => values.tier)).to.deep.include(['free']);
    await admin.browser.submit(page, { tier: 'enterprise' });
    expect(await shown()).to.match(/Paid plan\s*Pro\s*Assigned plan\s*Enterprise/);
    expect((await plan()).text)
      .to.include('Enterprise plan')
      .and.to.include('You have paid for the Pro plan');
    await link({ plan_pro: '', plan_enterprise: '' });
    await follow();
    expect(await shown()).to.not.include('Assigned plan');
    expect((await plan()).text)
      .to.include('Enterprise plan')
      .and.to.not.include('paid');
  });
});
