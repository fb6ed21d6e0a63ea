import { expect } from 'chai';
import { t } from '../../../apps/wiring/tokens.ts';
import { isRefused } from '../../../core/refusal.ts';
import { operator } from '../../support/by.ts';
import { formOf, listingForm } from '../../support/forms.ts';
import { itLong } from '../../support/required-service.ts';
import { pngOf } from '../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';

const publishPath = '/api/marketplace/publish';
const minePath = '/api/marketplace/my-products';

describe('two users', () => {
  let service: AccountService;
  let ada: Account;
  let eve: Account;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve] = [await service.account('free'), await service.account('enterprise')];
  });
  afterEach(() => service.close());

  const titles = async (account: Account, query = {}) =>
    (await account.get(minePath, query)).body.data.map(({ title }: { title: string }) => title);
  const publish = async (account: Account, title: string) =>
    (await account.submit(publishPath, listingForm({ title }))).body;

  it('see nothing of each other in my-products, whatever the query is', async () => {
    const hers = await publish(ada, 'Of Ada');
    await publish(eve, 'Of Eve');
    expect(await titles(ada)).to.deep.equal(['Of Ada']);
    for (const query of [
      {},
      { page: '2' },
      { per_page: '100' },
      { user_id: String(ada.user.id), owner_id: String(ada.user.id), ownerId: '1', status: 'pending' },
      { id: String(hers.product.id), slug: hers.product.slug, livemode: 'false' },
    ]) {
      const { text } = await eve.get(minePath, query);
      expect(text, JSON.stringify(query)).to.not.include('Of Ada');
      expect(text, JSON.stringify(query)).to.not.include(hers.product.slug);
    }
    const { body } = await eve.get(minePath);
    expect(body).to.include({ total: 1, last_page: 1 });
  });

  it('cannot publish in each other’s name', async () => {
    const form = listingForm({
      title: 'Mine',
      owner_id: String(ada.user.id),
      ownerId: '1',
      user_id: '1',
      status: 'published',
    });
    const { body } = await eve.submit(publishPath, form);
    expect(body.product.status).to.equal('pending');
    expect(await titles(ada)).to.deep.equal([]);
    expect(await titles(eve)).to.deep.equal(['Mine']);
  });

  it('cannot see each other’s pending products without the preview link of the owner', async () => {
    const hers = await publish(ada, 'Same Title');
    const other = await publish(eve, 'Same Title');
    expect([hers.product.slug, other.product.slug]).to.deep.equal(['same-title', 'same-title-2']);
    const preview = new URL(other.marketplace_url).search;
    expect((await eve.send(`/marketplace/same-title${preview}`)).status).to.equal(404);
    expect((await eve.send('/marketplace/same-title')).status).to.equal(404);
    expect(
      (await eve.send(new URL(hers.marketplace_url).pathname + new URL(hers.marketplace_url).search)).status,
    ).to.equal(200);
  });

  itLong('have separate counts of uploaded bytes', async () => {
    const upload = (account: Account) => account.submit('/api/marketplace/upload', formOf({ file: pngOf() }));
    for (const account of [ada, ada, eve]) expect((await upload(account)).status).to.equal(200);
    const ledger = await service.parts.get(t.fileLedger);
    const bytes = pngOf().length;
    expect([await ledger.used(ada.user.id), await ledger.used(eve.user.id)]).to.deep.equal([2 * bytes, bytes]);
  });

  it('cannot download a template that only the other one bought', async () => {
    const template = await service.template({ slug: 'paid', tier: 'pro' });
    await service.templates.addPurchase(ada.user, template, operator);
    expect((await ada.get('/api/templates/paid/download')).status).to.equal(200);
    expect((await eve.get('/api/templates/paid/download')).status).to.equal(403);
  });

  itLong('may both report the same transaction, and get the same answer', async () => {
    const report = {
      chain: 'sepolia',
      chain_id: 11155111,
      address: `0x${'5f'.repeat(20)}`,
      tx_hash: `0x${'a1'.repeat(32)}`,
    };
    const answers = [await ada.post('/api/deploy/register', report), await eve.post('/api/deploy/register', report)];
    expect(answers[0]?.text).to.equal(answers[1]?.text);
    const stored = await service.rows('deployments');
    expect(stored.map(({ user_id }) => user_id)).to.deep.equal([1, 2]);
  });

  it('have their own page counts, and miss no product if the other one publishes in between', async () => {
    for (let number = 1; number <= 6; number++) {
      await service.products.add({ title: `Ada ${number}`, ownerId: ada.user.id }, operator);
      await service.products.add({ title: `Eve ${number}`, ownerId: eve.user.id }, operator);
      await service.products.add({ title: `House ${number}`, ownerId: null }, operator);
    }
    expect(await titles(ada, { per_page: '4' })).to.deep.equal(['Ada 6', 'Ada 5', 'Ada 4', 'Ada 3']);
    expect(await titles(ada, { per_page: '4', page: '2' })).to.deep.equal(['Ada 2', 'Ada 1']);
    expect((await eve.get(minePath, { per_page: '4' })).body).to.include({ total: 6, last_page: 2 });
  });
});

describe('live and test keys of one user', () => {
  let service: AccountService;
  let live: Account;
  let test: Account;
  beforeEach(async () => {
    service = await startAccountService();
    live = await service.account('pro');
    test = await service.keyOf(live.user, { mode: 'test' });
  });
  afterEach(() => service.close());

  const listed = async (account: Account) =>
    (await account.get(minePath)).body.data.map(({ title, livemode }: { title: string; livemode: boolean }) => [
      title,
      livemode,
    ]);

  itLong('list only the products of their own mode, marked with livemode', async () => {
    const answers = [
      await live.submit(publishPath, listingForm({ title: 'For sale' })),
      await test.submit(publishPath, listingForm({ title: 'For tests' })),
    ];
    expect(answers.map(({ body }) => body.product.livemode)).to.deep.equal([true, false]);
    expect(await listed(live)).to.deep.equal([['For sale', true]]);
    expect(await listed(test)).to.deep.equal([['For tests', false]]);
    const another = await service.keyOf(live.user, { mode: 'test' });
    expect(await listed(another)).to.deep.equal([['For tests', false]]);
  });

  itLong('never make a test product public, whatever its status is', async () => {
    const { product } = (await test.submit(publishPath, listingForm({ title: 'Only a test' }))).body;
    for (const step of ['approve', 'unlist', 'approve'] as const) {
      expect(isRefused(await service.products.change(String(product.id), step, operator))).to.equal(false);
      expect((await service.send('/marketplace/only-a-test')).status).to.equal(404);
      expect((await live.send('/marketplace/only-a-test')).status).to.equal(404);
      const [item] = (await test.get(minePath)).body.data;
      expect(item.marketplace_url).to.include('?preview=');
    }
    expect(await listed(live)).to.deep.equal([]);
  });

  itLong('share the catalogue and the purchases', async () => {
    const template = await service.template({ slug: 'paid', tier: 'pro' });
    await service.templates.addPurchase(live.user, template, operator);
    expect((await test.get('/api/templates')).text).to.equal((await live.get('/api/templates')).text);
    expect((await test.get('/api/templates/paid/download')).status).to.equal(200);
  });

  itLong('write uploads and deployments that are marked with their mode', async () => {
    await test.submit('/api/marketplace/upload', formOf({ file: pngOf() }));
    await test.post('/api/deploy/register', {
      chain: 'sepolia',
      chain_id: 11155111,
      address: `0x${'5f'.repeat(20)}`,
      tx_hash: `0x${'a1'.repeat(32)}`,
    });
    for (const table of ['uploads', 'deployments']) {
      expect((await service.rows(table)).map(({ is_live }) => is_live)).to.deep.equal([0]);
    }
    const log = await service.parts.get(t.deploymentLog);
    expect(await log.count({ isLive: true })).to.deep.equal([]);
  });
});
