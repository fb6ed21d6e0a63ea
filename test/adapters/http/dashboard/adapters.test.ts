import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';

describe('the form for clients of other systems', () => {
  let service: SellingService;
  before(async () => {
    service = await startSellingService();
  });
  after(() => service.close());

  itLong('303 after it lets clients of Lemon Squeezy in, and shows what is set', async () => {
    const { ada, eve, root } = await service.people();
    const product = await service.product(ada, 'jar', {});
    const path = `/selling/live/products/${product.id}`;
    const before = await ada.browser.get(path);
    expect(before.links.some(({ href }) => href.endsWith(`products/${product.id}/lemonsqueezy`))).to.equal(true);
    const ids = { store: '1234', product: '56789', variant: '' };
    const refused = await ada.browser.fill(`${path}/lemonsqueezy`, { enabled: ['yes'], ...ids });
    expect(refused.status).to.equal(422);
    expect(refused.faults.enabled).to.include('Only an administrator');
    expect((await ada.browser.fill(`${path}/lemonsqueezy`, ids)).status, 'the ids alone').to.equal(303);
    const note = 'Only an administrator can switch this on';
    expect((await ada.browser.get(`${path}/lemonsqueezy`)).text).to.include(note);
    expect((await root.browser.get(`${path}/lemonsqueezy`)).text).to.not.include(note);
    expect((await root.browser.fill(`${path}/lemonsqueezy`, { enabled: ['yes'] })).status).to.equal(303);
    const store = await service.parts.get(t.productStore);
    expect((await store.findById(product.id))?.adapters.lemonsqueezy).to.deep.equal({
      ...{ isOn: true, storeId: 1234, productId: 56_789, variantId: null },
    });
    const page = await ada.browser.get(`${path}/lemonsqueezy`);
    expect(page.forms.find(({ names }) => names.includes('store'))?.values).to.deep.include({
      ...{ enabled: ['yes'], store: ['1234'], product: ['56789'], variant: [''] },
    });
    expect((await eve.browser.get(`${path}/lemonsqueezy`)).status).to.equal(404);
  });

  itLong('303 after it lets clients of EDD Software Licensing in, and keeps what is set for others', async () => {
    const { ada, root } = await service.people();
    const product = await service.product(ada, 'mug', {});
    const path = `/selling/live/products/${product.id}`;
    expect((await ada.browser.fill(`${path}/lemonsqueezy`, { store: '7' })).status).to.equal(303);
    const ids = { item: '8', name: 'Tip Mug', tested: '6.5', requires_php: '8.1' };
    const refused = await ada.browser.fill(`${path}/edd`, { enabled: ['yes'], ...ids });
    expect([refused.status, Object.keys(refused.faults)]).to.deep.equal([422, ['enabled']]);
    expect((await ada.browser.fill(`${path}/edd`, ids)).status).to.equal(303);
    expect((await root.browser.fill(`${path}/edd`, { enabled: ['yes'] })).status).to.equal(303);
    const store = await service.parts.get(t.productStore);
    expect((await store.findById(product.id))?.adapters).to.deep.equal({
      lemonsqueezy: { isOn: false, storeId: 7, productId: null, variantId: null },
      edd: {
        ...{ isOn: true, itemId: 8, itemName: 'Tip Mug' },
        plugin: { requires: null, tested: '6.5', requiresPhp: '8.1' },
      },
      gumroad: { isOn: false, productId: null, permalink: null },
      slm: { isOn: false, secretKey: null, itemReference: null },
    });
    expect((await ada.browser.get(path)).text).to.include('EDD Software Licensing');
    expect((await ada.browser.fill(`${path}/edd`, { tested: '6.6' })).status, 'without an administrator').to.equal(303);
    const faulty = await ada.browser.fill(`${path}/edd`, { requires: 'six' });
    expect([faulty.status, faulty.faults]).to.deep.equal([422, { requires: 'Enter a version such as 6.5 or 8.1.2.' }]);
    expect((await ada.browser.fill(`${path}/edd`, { enabled: [], item: '', name: '' })).status).to.equal(303);
    expect((await store.findById(product.id))?.adapters.edd).to.deep.equal({
      isOn: false,
      itemId: null,
      itemName: null,
      plugin: { requires: null, tested: '6.6', requiresPhp: '8.1' },
    });
  });

  it('303 after it lets clients of Gumroad in, and 422 with the other product that has the same ids', async () => {
    const { ada, eve, root } = await service.people();
    const [one, other] = [await service.product(ada, 'pen', { title: 'Pen' }), await service.product(eve, 'ink', {})];
    const path = (id: unknown) => `/selling/live/products/${id}/gumroad`;
    const ids = { enabled: ['yes'], product: 'aB==', permalink: 'pencil' };
    expect((await root.browser.fill(path(one.id), ids)).status).to.equal(303);
    const store = await service.parts.get(t.productStore);
    expect((await store.findById(one.id))?.adapters.gumroad).to.deep.equal({
      ...{ isOn: true, productId: 'aB==', permalink: 'pencil' },
    });
    const refused = await root.browser.fill(path(other.id), { ...ids, product: '', permalink: 'PENCIL' });
    expect([refused.status, refused.faults.enabled]).to.deep.equal([
      ...[422, 'Clients of the product Pen (pen) have the same ids.'],
    ]);
    expect((await root.browser.fill(path(other.id), { ...ids, product: 'ab==', permalink: '' })).status).to.equal(303);
  });

  it('303 after it lets clients of Software License Manager in, and 422 for another seller with the same secret key', async () => {
    const { ada, eve, root } = await service.people();
    const [one, other] = [await service.product(ada, 'pan', { title: 'Pan' }), await service.product(eve, 'lid', {})];
    const path = (id: unknown) => `/selling/live/products/${id}/slm`;
    const ids = { enabled: ['yes'], secret: '5f8.12', reference: 'Pan' };
    expect((await root.browser.fill(path(one.id), ids)).status).to.equal(303);
    const store = await service.parts.get(t.productStore);
    expect((await store.findById(one.id))?.adapters.slm).to.deep.equal({
      ...{ isOn: true, secretKey: '5f8.12', itemReference: 'Pan' },
    });
    const refused = await root.browser.fill(path(other.id), { ...ids, reference: 'Lid' });
    expect([refused.status, refused.faults.enabled]).to.deep.equal([
      ...[422, 'Clients of the product Pan (pan) have the same ids.'],
    ]);
  });

  it('shows sellers what the clients call themselves, and removes an instance', async () => {
    const { ada, root } = await service.people();
    const { id } = await service.product(ada, 'pot', {});
    await root.browser.fill(`/selling/live/products/${id}/lemonsqueezy`, { enabled: ['yes'] });
    const seller = { actor: operator, mode: 'live' } as const;
    const wish = { product: 'pot', count: 1 };
    const [issued] = good(await (await service.parts.get(t.sellerLicenses)).issue(wish, seller));
    const key = must(issued).license.key;
    const body = new URLSearchParams({ license_key: key, instance_name: '“Ada’s” MacBook' });
    const activated = await service.send('/v1/licenses/activate', { method: 'POST', body });
    const path = `/selling/live/licenses/${key}`;
    const page = await ada.browser.get(path);
    expect(page.text).to.include('“Ada’s” MacBook');
    const name = `instance:${activated.body.instance.id}`;
    expect(page.text).to.include(name);
    const remove = `${path}/domains/${encodeURIComponent(name)}/remove`;
    expect((await ada.browser.fill(remove, { reason: '' })).status).to.equal(303);
    expect((await ada.browser.get(path)).text).to.include('0 of 1');
  });

  itLong('422 for ids that are no numbers', async () => {
    const { ada } = await service.people();
    const product = await service.product(ada, 'cup', {});
    const path = `/selling/live/products/${product.id}/lemonsqueezy`;
    for (const store of ['shop', '0', '-1', '1.5', '1'.repeat(16)]) {
      const answer = await ada.browser.fill(path, { store });
      expect(answer.status, store).to.equal(422);
      expect(Object.keys(answer.faults)).to.deep.equal(['store']);
    }
  });
});
