import { expect } from 'chai';
import { namesIn, tableOf } from '../../../support/guide-tables.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const day = 86_400_000;
const path = '/v2/licenses/verify';
const json = { 'Content-Type': 'application/json' };

describe('the guide for those who move from Gumroad', () => {
  let service: AccountService;
  let key: string;
  let change: (act: string) => Promise<unknown>;
  before(async () => {
    service = await startAccountService();
    const [ada, root] = [await service.account(), await service.administrator()];
    change = (act) => ada.post(`/api/licenses/${key}/${act}`, {});
    await addOwnProduct(service, 'jar', ada);
    await root.send('/api/products/jar/adapters/gumroad', {
      ...{ method: 'PUT', headers: json, body: JSON.stringify({ enabled: true, product_id: 'x==' }) },
    });
    const expires = new Date(service.clock.now() + day).toISOString();
    key = (await ada.post('/api/licenses', { product: 'jar', expires_at: expires })).body.data[0].key;
  });
  after(() => service.close());

  const call = (fields: object = {}) =>
    service.send(path, {
      ...{ method: 'POST', headers: json, body: JSON.stringify({ license_key: key, product_id: 'x==', ...fields }) },
    });

  it('has each field of the answers, and the value of those that never differ', async () => {
    const { purchase, ...head } = (await call()).body;
    const { card, ...flat } = purchase;
    const values = new Map<string, unknown>([
      ...Object.entries(head),
      ...Object.entries(flat).map(([name, value]) => [`purchase.${name}`, value] as const),
      ...Object.entries(card).map(([name, value]) => [`purchase.card.${name}`, value] as const),
    ]);
    const rows = await tableOf('gumroad.md', 'Fields of answers');
    const there = rows.filter(([, , here = '']) => !here.endsWith('left out'));
    expect(there.flatMap(([names]) => namesIn(names))).to.have.members([...values.keys()]);
    const fixed: Record<string, unknown> = { empty: '', null: null, false: false, 0: 0, 1: 1, '`usd`': 'usd' };
    for (const [names, , here = ''] of there) {
      const [word = ''] = here.split(':');
      if (!(word in fixed)) continue;
      for (const name of namesIn(names)) expect(values.get(name), name).to.equal(fixed[word]);
    }
  });

  it('has status and text of each error', async () => {
    const answers = [await call({ product_id: 'other' })];
    await change('suspend');
    answers.push(await call());
    await change('reinstate');
    service.clock.advance(day);
    answers.push(await call(), await call({ license_key: 5 }));
    const rows = await tableOf('gumroad.md', 'Errors');
    const told = answers.map(({ status, body }) => [String(status), body.message]);
    expect(told).to.deep.equal(rows.map(([, status, message]) => [status, namesIn(message)[0]]));
  });
});
