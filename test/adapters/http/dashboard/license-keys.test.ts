import { expect } from 'chai';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const list = '/selling/live/licenses';
const uuid = '38b1460a-5104-4067-a91d-77b872934d51';

describe('pages about the keys of a license', () => {
  let service: SellingService;
  let ada: Person;
  let bob: Person;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startSellingService();
    ada = await service.signedInUser({ name: 'Ada' });
    bob = await service.signedInUser({ name: 'Bob' });
    await service.product(ada, 'jar', { title: 'Cookie Jar' });
    key = await service.license('jar', { maxDomains: 2 });
    await service.activate(key, 'a.example.com');
  });
  afterEach(() => service.close());

  itLong('replace the key, lead to the license under its new one, and show the former one while it works', async () => {
    const page = await ada.browser.get(`${list}/${key}/rotate`);
    expect(page.heading).to.equal('Replace the key of this license?');
    const sent = await ada.browser.submit(page, { overlap: '7', reason: 'Leaked.' });
    const fresh = (sent.location ?? '').split('/').at(-1) ?? '';
    expect(fresh).to.not.equal(key);
    expect([sent.status, sent.location]).to.deep.equal([303, `${list}/${fresh}`]);
    const shown = await ada.browser.follow(sent);
    for (const text of [
      'The key is replaced. Here is the new one.',
      'Replaced key',
      'License key replaced',
      'License activated',
      'Leaked.',
    ])
      expect(shown.text).to.include(text);
    expect((await ada.browser.get(`${list}/${key}`)).status).to.equal(404);
    expect((await service.verify(key, 'a.example.com')).body.valid).to.equal(true);
    service.clock.advance(7 * 86_400_000);
    expect((await service.verify(key, 'a.example.com')).body.error).to.equal('invalid_key');
    expect((await ada.browser.get(`${list}/${fresh}`)).text).to.not.include('Replaced key');
  });

  itLong('add a key of another system and remove it', async () => {
    const address = `${list}/${key}`;
    const form = await ada.browser.get(`${address}/aliases/add`);
    const faulty = await ada.browser.submit(form, { kind: 'gumroad', value: key, until: '' });
    expect([faulty.status, faulty.text.includes('must not look like a license key')]).to.deep.equal([422, true]);
    const added = await ada.browser.submit(form, { kind: 'gumroad', value: uuid, until: '' });
    expect(added.status).to.equal(303);
    const page = await ada.browser.get(address);
    expect(page.text).to.include('38b1…51').and.to.include('Gumroad');
    expect(page.html).to.not.include(uuid);
    expect((await service.verify(uuid, 'a.example.com')).body.valid).to.equal(true);
    const remove = page.links.find(({ href }) => href.endsWith('/remove') && href.includes('/aliases/'))?.href ?? '';
    const asked = await ada.browser.get(new URL(remove, service.url).pathname);
    expect(asked.heading).to.equal('Remove 38b1…51?');
    expect((await ada.browser.submit(asked, { reason: '' })).status).to.equal(303);
    expect((await service.verify(uuid, 'a.example.com')).body.error).to.equal('invalid_key');
    expect((await ada.browser.get(new URL(remove, service.url).pathname)).status).to.equal(404);
  });

  it('are not found by others', async () => {
    for (const name of ['rotate', 'aliases/add', 'aliases/1/remove'])
      expect((await bob.browser.get(`${list}/${key}/${name}`)).status, name).to.equal(404);
  });
});
