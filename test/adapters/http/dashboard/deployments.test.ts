import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { placeOrder } from '../../../support/placed-orders.ts';
import { reportDeployments } from '../../../support/reported-deployments.ts';
import { itLong } from '../../../support/required-service.ts';
import { fileOf, zipOf } from '../../../support/samples.ts';
import type { Fields } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const live = '/selling/live/deployments';

const zip = fileOf(await zipOf(), 'product.zip');

describe('the pages about deployments', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  let buyer: Person;
  let account: number;
  let order: string;
  let license: string;
  let dex: number;
  before(async () => {
    service = await startSellingService();
    ({ ada, eve, root } = await service.people());
    buyer = await service.signedInUser({ name: 'Bob' });
    const { login } = await buyer.me();
    account = login.id;
    const links = await service.parts.get(t.productTemplates);
    const made = [];
    for (const [owner, slug] of [
      [ada, 'dex'],
      [ada, 'mint'],
      [eve, 'jar'],
    ] as const) {
      const template = await service.template({ slug, title: `The ${slug}` });
      const product = await service.product(owner, slug, { status: 'published', isApproved: true, price: 0 });
      good(await links.link(String(product.id), slug, operator));
      made.push({ templateId: template.id, templateReference: slug });
    }
    const [first, second, other] = made;
    dex = Number(first?.templateId);
    const placed = await placeOrder(service.parts, 'dex', { email: buyer.email });
    license = `/selling/live/licenses/${placed.licenseKey}`;
    // The account claims what was ordered with its address.
    const claimed = good(await (await service.parts.get(t.purchases)).list(login.id, { limit: 1 }));
    order = `/orders/${claimed.orders[0]?.token}`;
    await reportDeployments(service.parts, login.id, [
      { ...first, state: 'confirmed', address: `0x${'a1'.repeat(20)}` },
      { ...first, state: 'mismatch', address: `0x${'a2'.repeat(20)}`, chainId: 1 },
      { ...second, state: 'no_rpc', address: `0x${'a3'.repeat(20)}`, chainId: 31_337 },
      { ...other, address: `0x${'a4'.repeat(20)}` },
      { ...first, address: `0x${'a5'.repeat(20)}`, isLive: false },
    ]);
  });
  after(() => service.close());

  const text = async (who: Person, path: string) => {
    const { status, html } = await who.browser.get(path);
    expect(status, path).to.equal(200);
    return html;
  };
  const contracts = (page: string) =>
    ['a1', 'a2', 'a3', 'a4', 'a5'].filter((one) => page.includes(`0x${one.repeat(20)}`));

  itLong('show a seller the figures of the own templates, and an administrator those of all', async () => {
    const own = await text(ada, live);
    expect(own).to.include('The dex').and.include('The mint').and.not.include('The jar');
    expect(own).to.include('Choose a product').and.include('Chain 31337').and.include('https://basescan.org');
    expect(await text(ada, `${live}?product=dex`)).to.include(`Account ${account}`);
    expect(await text(ada, `${live}?product=jar`)).to.include('No product of yours');
    const all = await text(root, '/admin/deployments');
    expect(all).to.include('The dex').and.include('The jar').and.include('Bob');
    expect(await text(root, live), 'what the administrator sells').to.include('No deployments yet');
    expect((await ada.browser.get('/admin/deployments')).status).to.equal(403);
  });

  itLong('keep those of test keys apart', async () => {
    expect(contracts(await text(ada, `/selling/test/deployments/list`))).to.deep.equal(['a5']);
    expect(contracts(await text(root, '/admin/deployments/list?mode=test'))).to.deep.equal(['a5']);
    expect(contracts(await text(buyer, '/account/deployments?mode=test'))).to.deep.equal(['a5']);
    expect(await text(root, '/admin/deployments?mode=test'))
      .to.include('The dex')
      .and.not.include('The jar');
  });

  itLong('list each deployment with its state in words and a link to its chain, narrowed by filters', async () => {
    const list = await text(ada, `${live}/list`);
    expect(contracts(list)).to.deep.equal(['a1', 'a2', 'a3']);
    expect(list).to.include('Confirmed').and.include('Other contract').and.include('Cannot be checked');
    expect(list).to.include(`https://etherscan.io/address/0x${'a2'.repeat(20)}`);
    expect(list, 'the whole address, to copy').to.include(`data-whole="0x${'a2'.repeat(20)}"`);
    for (const [query, expected] of [
      ['chain=1', ['a2']],
      ['state=no_rpc', ['a3']],
      [`template=${dex}`, ['a1', 'a2']],
      ['template=mint', []],
      [`account=${account}`, ['a1', 'a2', 'a3']],
      ['account=99', []],
      ['day=2001-01-01', []],
    ] as const) {
      expect(contracts(await text(ada, `${live}/list?${query}`)), query).to.deep.equal(expected);
    }
    expect(contracts(await text(root, `/admin/deployments/list?chain=8453`))).to.deep.equal(['a1', 'a4']);
    expect(contracts(await text(buyer, '/account/deployments?template=dex'))).to.deep.equal(['a1', 'a2']);
    expect(contracts(await text(eve, '/account/deployments'))).to.deep.equal([]);
  });

  itLong('are files too', async () => {
    const lines = async (who: Person, path: string) => (await text(who, path)).trim().split('\r\n');
    expect(await lines(ada, `${live}/list/export?state=confirmed`)).to.have.length(2);
    expect(await lines(buyer, '/account/deployments/export')).to.have.length(5);
    expect(await lines(root, '/admin/deployments/list/export')).to.have.length(5);
    const [head, first] = await lines(ada, `${live}/export?by=template`);
    expect(head).to.match(/^day,chain,chain_id,template_id,title,/);
    expect(first).to.include('The dex').and.include(',2,1,');
    expect((await ada.browser.get(`${live}/export?product=jar`)).status).to.equal(404);
  });

  it('show on a license what its buyer has deployed, to the seller and to the buyer only', async () => {
    expect(contracts(await text(ada, license))).to.deep.equal(['a1', 'a2']);
    expect(contracts(await text(root, license))).to.deep.equal(['a1', 'a2']);
    expect(contracts(await text(buyer, order))).to.deep.equal(['a1', 'a2']);
    expect(contracts(await text(eve, order))).to.deep.equal([]);
  });

  itLong('let a seller register the code of contracts, and delete it', async () => {
    const { id } = must(await (await service.parts.get(t.productStore)).findBySlug('dex'));
    const product = `/selling/live/products/${id}`;
    const list = `${product}/codes`;
    const linksOf = async (path: string) => (await ada.browser.get(path)).links.map(({ href }) => href);
    expect((await linksOf(product)).some((href) => href.endsWith(list))).to.equal(true);
    expect(await text(ada, list)).to.include('No code is registered');
    expect((await ada.browser.fill(`${product}/versions/new`, { number: '1.2.0', product_zip: zip })).status).to.equal(
      303,
    );
    const add = (fields: Fields) => ada.browser.fill(`${list}/new`, { version: '1.2.0', contract: 'Dex', ...fields });
    for (const code of ['', '0x', '0x123', 'dex.json', `0x${'00'.repeat(65_537)}`])
      expect(Object.keys((await add({ code })).faults), code.slice(0, 9)).to.deep.equal(['code']);
    expect(Object.keys((await add({ code: '0x00', contract: ' ' })).faults)).to.deep.equal(['contract']);
    expect((await add({ code: '0x00', version: '9.9' })).status).to.equal(404);
    expect((await add({ code: ` 0x6001${'00'.repeat(24_000)} ` })).status).to.equal(303);
    expect((await add({ code: `0x${'C5'.repeat(32)}`, contract: 'Mint' })).status).to.equal(303);
    expect(await text(ada, list))
      .to.include('Dex, version 1.2.0')
      .and.include(`0x${'c5'.repeat(32)}`);
    const [mint] = (await linksOf(list)).flatMap((href) => /\/selling\/.*\/remove$/.exec(href) ?? []);
    const remove = must(mint);
    expect((await eve.browser.get(remove)).status).to.equal(404);
    expect((await ada.browser.fill(remove, {})).status).to.equal(303);
    expect(await text(ada, list))
      .to.include('The code is deleted.')
      .and.include('Dex')
      .and.not.include('Mint');
    expect((await ada.browser.fill(remove, {})).status).to.equal(404);
  });
});
