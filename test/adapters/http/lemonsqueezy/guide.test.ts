import { expect } from 'chai';
import { namesIn, tableOf } from '../../../support/guide-tables.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const day = 86_400_000;
const ids = { store_id: 1234, product_id: 56_789, variant_id: 98_765 };

/** Returns the values of an answer by their paths. */
function valuesOf(answer: object, before = ''): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'object' && value !== null) {
      for (const [path, inner] of valuesOf(value, `${before}${name}.`)) values.set(path, inner);
    } else values.set(before + name, value);
  }
  return values;
}

describe('the guide for those who move from Lemon Squeezy', () => {
  let service: AccountService;
  let key: string;
  let change: (path: string, method: string, body?: object) => Promise<unknown>;
  before(async () => {
    service = await startAccountService();
    const ada = await service.account();
    change = (path, method, body = {}) =>
      ada.send(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    await addOwnProduct(service, 'jar', ada);
    const root = await service.administrator();
    await root.send('/api/products/jar/adapters/lemonsqueezy', {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ enabled: true, ...ids }),
    });
    const expires = new Date(service.clock.now() + day).toISOString();
    const { body } = await ada.post('/api/licenses', {
      ...{ product: 'jar', expires_at: expires, holder: { email: 'grace@example.com', name: 'Grace' } },
    });
    key = body.data[0].key;
  });
  after(() => service.close());

  const call = (operation: string, fields: Record<string, string>) =>
    service.send(`/v1/licenses/${operation}`, {
      method: 'POST',
      body: new URLSearchParams({ license_key: key, ...fields }),
    });

  it('has each field of the answers, and says which are always null', async () => {
    const activated = await call('activate', { instance_name: 'MacBook' });
    const id = activated.body.instance.id;
    const valid = await call('validate', { instance_id: id });
    const deactivated = await call('deactivate', { instance_id: id });
    const rows = await tableOf('lemon-squeezy.md', 'Fields of answers');
    const here = new Map(rows.flatMap(([names, , text = '']) => namesIn(names).map((name) => [name, text] as const)));
    const flags = ['activated', 'valid', 'deactivated'];
    for (const [index, { status, body, text }] of [activated, valid, deactivated].entries()) {
      expect(status, text).to.equal(200);
      const values = valuesOf(body);
      const isExpected = (name: string) =>
        flags.includes(name) ? name === flags[index] : index < 2 || !name.startsWith('instance');
      expect([...values.keys()]).to.have.members([...here.keys()].filter(isExpected));
      for (const [name, value] of values) {
        if (name === 'error') expect(value).to.equal(null);
        else expect(value === null, name).to.equal(here.get(name) === 'null');
      }
    }
    expect(valuesOf(valid.body).get('meta.variant_name')).to.equal(namesIn(here.get('meta.variant_name'))[0]);
  });

  it('has status and text of each error', async () => {
    const { body } = await call('activate', { instance_name: 'MacBook' });
    const id = body.instance.id;
    const full = await call('activate', { instance_name: 'Other' });
    const missing = await call('activate', {});
    const unknown = await call('validate', { license_key: 'LIC-0000-0000-0000-0000' });
    const gone = await call('validate', { instance_id: '00000000-0000-4000-8000-000000000000' });
    await change(`/api/licenses/${key}/suspend`, 'POST');
    const suspended = await call('validate', { instance_id: id });
    await change(`/api/licenses/${key}/reinstate`, 'POST');
    service.clock.advance(day);
    const expired = await call('validate', {});
    const rows = await tableOf('lemon-squeezy.md', 'Errors');
    const told = [unknown, gone, full, expired, suspended, missing].map((one) => [String(one.status), one.body.error]);
    expect(told).to.deep.equal(rows.map(([, status, error]) => [status, namesIn(error)[0]]));
    for (const one of [unknown, missing]) expect([one.body.license_key, one.body.meta]).to.deep.equal([null, null]);
    for (const one of [gone, full, suspended, expired]) expect(one.body.meta.store_id).to.equal(ids.store_id);
  });
});
