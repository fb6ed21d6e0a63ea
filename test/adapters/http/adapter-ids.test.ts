import { expect } from 'chai';
import { itLong } from '../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';
import { addOwnProduct } from './account/own-product.ts';

describe('the ids by which clients of other systems know a product', () => {
  let service: AccountService;
  let ada: Account;
  let eve: Account;
  let root: Account;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve, root] = [await service.account('pro'), await service.account('pro'), await service.administrator()];
    await addOwnProduct(service, 'jar', ada, 'live', { title: 'Tip Jar' });
    await addOwnProduct(service, 'cup', ada);
    await addOwnProduct(service, 'pot', eve);
  });
  afterEach(() => service.close());

  const set = (actor: Account, slug: string, system: string, body: object) =>
    actor.send(`/api/products/${slug}/adapters/${system}`, {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify(body),
    });
  const statusOf = async (slug: string, system: string, body: object) =>
    (await set(root, slug, system, { enabled: true, ...body })).status;

  itLong('are those of one product: 409 with its name, as long as its clients are let in', async () => {
    expect(await statusOf('jar', 'edd', { item_id: 8, item_name: 'Tip Jar' })).to.equal(200);
    expect(await statusOf('jar', 'edd', { item_id: 8, item_name: 'Tip  Jar' }), 'its own').to.equal(200);
    const { status, body } = await set(root, 'pot', 'edd', { enabled: true, item_id: 8 });
    expect([status, body.error.code]).to.deep.equal([409, 'CONFLICT']);
    expect(body.error.message).to.include('Tip Jar (jar)');
    expect(await statusOf('cup', 'edd', { item_name: 'tip jar ' }), 'as clients compare it').to.equal(409);
    expect((await set(eve, 'pot', 'edd', { enabled: false, item_id: 8 })).status, 'while it is off').to.equal(200);
    expect(await statusOf('cup', 'edd', {}), 'without ids').to.equal(200);
    expect((await set(ada, 'jar', 'edd', { enabled: false, item_id: 8 })).status).to.equal(200);
    expect(await statusOf('pot', 'edd', { item_id: 8 })).to.equal(200);
  });

  it('of Lemon Squeezy belong to one seller, who may have a product here for each variant', async () => {
    const ids = { store_id: 5, product_id: 6, variant_id: 7 };
    expect(await statusOf('jar', 'lemonsqueezy', ids)).to.equal(200);
    expect(await statusOf('cup', 'lemonsqueezy', ids)).to.equal(409);
    expect(await statusOf('cup', 'lemonsqueezy', { ...ids, variant_id: 8 })).to.equal(200);
    for (const [name, id] of Object.entries(ids))
      expect(await statusOf('pot', 'lemonsqueezy', { [name]: id }), name).to.equal(409);
    expect(await statusOf('pot', 'lemonsqueezy', { store_id: 6, product_id: 7, variant_id: 5 })).to.equal(200);
  });
});
