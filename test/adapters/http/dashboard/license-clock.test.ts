import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { defaultTerms } from '../../../../core/marketplace/product-terms.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { addForSale, addOrder } from '../../../support/orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const list = '/selling/test/licenses';
const day = 86_400_000;

describe('the page that sets the clock of a test license', () => {
  let service: SellingService;
  let ada: Person;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startSellingService();
    ada = await service.signedInUser({ name: 'Ada' });
    await service.product(ada, 'jar', { isLive: false, terms: { duration: { days: 365, from: 'issue' } } });
    key = await service.license('jar', { expiresAt: service.clock.now() + 365 * 86_400_000 }, 'test');
    await service.activate(key, 'a.example.com');
  });
  afterEach(() => service.close());

  const verified = async () => (await service.verify(key, 'a.example.com')).body;

  itLong('advances the clock and forces an answer, and the page of the license says both', async () => {
    const before = await ada.browser.get(`${list}/${key}`);
    expect(before.text).to.include('Test clock').and.to.not.include('is 400 days ahead');
    const form = await ada.browser.get(`${list}/${key}/clock`);
    expect(form.heading).to.equal('Test clock');
    const sent = await ada.browser.submit(form, { days: '400', answer: '' });
    const shown = await ada.browser.follow(sent);
    for (const text of [
      'The test clock is set. The license has expired now.',
      'is 400 days ahead',
      'Expired',
      'Test clock set',
    ])
      expect(shown.text).to.include(text);
    expect((await verified()).error).to.equal('expired');
    const again = await ada.browser.get(`${list}/${key}/clock`);
    await ada.browser.submit(again, { days: '', answer: 'suspended' });
    expect((await verified()).error).to.equal('suspended');
    expect((await ada.browser.get(`${list}/${key}`)).text).to.include('answers that the license is suspended');
    const last = await ada.browser.get(`${list}/${key}/clock`);
    expect(last.html).to.match(/<option value="suspended"[^>]* selected/);
  });

  itLong(
    'refuses a form that changes nothing, and lets the license API answer normally again with a button',
    async () => {
      const form = await ada.browser.get(`${list}/${key}/clock`);
      const empty = await ada.browser.submit(form, { days: '', answer: '' });
      expect([empty.status, empty.text.includes('Enter days')]).to.deep.equal([422, true]);
      const shown = await ada.browser.follow(await ada.browser.submit(form, { days: '', answer: '429' }));
      expect(shown.text).to.include('Forced: 429').and.to.include('answers 429 to every call');
      expect((await ada.browser.get(list)).text).to.include('Forced: 429');
      const explained = await ada.browser.get(`${list}/${key}?domain=a.example.com`);
      expect(explained.text).to.match(/answers 429 to every call[\s\S]*Without that:[\s\S]*Valid/);
      const after = await ada.browser.follow(await ada.browser.submit(shown, {}, 'Answer normally again'));
      expect(after.text).to.include('The test clock is set.').and.to.not.include('Forced: 429');
      expect((await verified()).valid).to.equal(true);
    },
  );

  itLong('refuses what is no number of days, and a clock that is too far ahead, and keeps what was typed', async () => {
    const form = await ada.browser.get(`${list}/${key}/clock`);
    for (const days of ['-1', 'x', '3661']) {
      const refused = await ada.browser.submit(form, { days, answer: '503' });
      expect([refused.status, refused.html.includes(`value="${days}"`)], days).to.deep.equal([422, true]);
    }
    for (let n = 0; n < 2; n++) await ada.browser.submit(form, { days: '3660', answer: '' });
    const tooFar = await ada.browser.submit(form, { days: '1', answer: '' });
    expect([tooFar.status, tooFar.text.includes('too far ahead')]).to.deep.equal([422, true]);
  });

  itLong('sends an address only so many mails, however often it is set', async () => {
    const parts = { orders: await service.parts.get(t.orderStore), products: await service.parts.get(t.productStore) };
    const terms = { ...defaultTerms, duration: { days: 10, from: 'issue' } } as const;
    const product = await addForSale(parts, { slug: 'sold', isLive: false, terms });
    const licenseKey = await service.license('sold', { expiresAt: service.clock.now() + 10 * day }, 'test');
    const buyer = { userId: null, email: 'stranger@example.com', name: null };
    await addOrder(parts, product, { licenseKey, state: 'paid', paidAt: service.clock.now(), buyer });
    const licenses = await service.parts.get(t.sellerLicenses);
    const by = { actor: operator, mode: 'test' } as const;
    // Only a setting that passes the end counts.
    for (let n = 0; n < 8; n++) good(await licenses.setClock(licenseKey, { forced: n % 2 ? null : '503' }, by));
    for (let n = 0; n < 12; n++) {
      good(await licenses.setClock(licenseKey, { advance: { months: 0, milliseconds: 11 * day } }, by));
      good(await licenses.renew(licenseKey, undefined, by));
    }
    const mails = await (await service.parts.get(t.mailStore)).list({ limit: 200 });
    const ends = mails.filter(({ kind }) => kind.startsWith('order-license-end'));
    expect(ends.length).to.be.within(3, 18);
    expect(ends.filter(({ kind }) => kind === 'order-license-ended')).to.have.lengthOf(6);
  });

  it('is not offered for a live license, is not there for others, and needs the token of the form', async () => {
    await service.product(ada, 'live-jar', {});
    const live = await service.license('live-jar');
    const page = await ada.browser.get(`/selling/live/licenses/${live}`);
    expect(page.text).to.not.include('Test clock');
    const asked = await ada.browser.get(`/selling/live/licenses/${live}/clock`);
    expect(asked.text).to.include('Only test licenses have a clock');
    const bob = await service.signedInUser({ name: 'Bob' });
    expect((await bob.browser.get(`${list}/${key}/clock`)).status).to.equal(404);
  });
});
