import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { takeSnapshot } from '../../../../core/selling/usage-snapshot.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { domain as domainOf } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const hour = 3_600_000;

describe('the use of products and licenses over the account API', () => {
  let service: AccountService;
  let ada: Account;
  let eve: Account;
  let product: Product;
  let license: LicenseKey;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve] = [await service.account(), await service.account()];
    product = good(await service.products.add({ title: 'Tip Jar', ownerId: ada.user.id }, operator));
    license = await issue(product);
  });
  afterEach(() => service.close());

  async function issue({ id }: Product): Promise<LicenseKey> {
    const issuing = await service.parts.get(t.issuing);
    const [key] = good(await issuing.issue({ productId: id, maxDomains: 9, expiresAt: null }, 1, operator));
    if (key === undefined) throw new Error('No license was issued.');
    return key;
  }
  const snapshot = async () => await takeSnapshot(await service.parts.get(t.usageSnapshots), service.clock);
  const licensing = () => service.parts.get(t.licensing);
  const activate = async (domain: string, licenseKey = license) =>
    good(await (await licensing()).activate({ licenseKey, domain: domainOf(domain) }));
  const verify = async (count: number, domain: string, licenseKey = license) => {
    for (let n = 0; n < count; n++) await (await licensing()).verify({ licenseKey, domain: domainOf(domain) });
  };
  const item = (at: string, verifications: number, active_domains: number) => ({ at, verifications, active_domains });
  const ofProduct = (query = '', { send } = ada) => send(`/api/products/${product.id}/usage${query}`);
  const ofLicense = (query = '', { send } = ada) => send(`/api/licenses/${license}/usage${query}`);

  /** The service starts on 1 January 2026 at 0:00. */
  async function use(): Promise<void> {
    await snapshot();
    await activate('a.com');
    await verify(3, 'a.com');
    service.clock.advance(hour);
    await snapshot();
    await activate('b.com');
    const another = await issue(product);
    await activate('c.com', another);
    await verify(4, 'c.com', another);
    service.clock.advance(24 * hour);
    await verify(2, 'a.com');
    service.clock.advance(hour);
    await snapshot();
  }

  itLong('200 with the hours of a product', async () => {
    await use();
    const { status, body } = await ofProduct('?by=hour&from=2026-01-01T00:30:00Z&to=2026-01-01T05:00:00%2B02:00');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      success: true,
      // The six verifications until 2 January were counted together, and none falls on each of 25 hours.
      data: [
        item('2026-01-01T00:00:00.000Z', 3, 1),
        item('2026-01-01T01:00:00.000Z', 0, 1),
        item('2026-01-01T02:00:00.000Z', 0, 1),
      ],
      total: 3,
    });
    expect((await ada.send(`/api/products/${product.slug}/usage`)).status).to.equal(200);
    const { body: last } = await ofProduct('?by=hour');
    expect(last.data).to.have.lengthOf(24);
    expect(last.data.at(-1)).to.deep.equal(item('2026-01-02T01:00:00.000Z', 6, 3));
    expect(last.total).to.equal(6);
  });

  itLong('200 with the last 30 days, by default', async () => {
    await use();
    const { status, body } = await ofProduct();
    expect(status).to.equal(200);
    expect(body.data).to.have.lengthOf(30);
    expect(body.data.slice(-3)).to.deep.equal([
      item('2025-12-31T00:00:00.000Z', 0, 0),
      item('2026-01-01T00:00:00.000Z', 3, 1),
      item('2026-01-02T00:00:00.000Z', 6, 3),
    ]);
    expect(body.total).to.equal(9);
    expect((await ada.get('/api/products/tip-jar/usage')).body).to.deep.equal(body);
    const { status: statusOfLicense, body: days } = await ofLicense();
    expect(statusOfLicense).to.equal(200);
    expect(days.data.slice(-2)).to.deep.equal([
      item('2026-01-01T00:00:00.000Z', 3, 1),
      item('2026-01-02T00:00:00.000Z', 2, 2),
    ]);
    expect([days.data.length, days.total]).to.deep.equal([30, 5]);
    expect((await ada.send(`/api/licenses/${license.toLowerCase()}/usage?by=day`)).body).to.deep.equal(days);
  });

  itLong('keeps what was verified before the first snapshot, outside of all hours', async () => {
    await activate('a.com');
    await verify(5, 'a.com');
    await snapshot();
    service.clock.advance(hour);
    await snapshot();
    expect(await service.database.read((knex) => knex('product_usage').select())).to.deep.equal([
      { product_id: product.id, at: 0, verifications: 5, domains: 1 },
    ]);
    const { body } = await ofProduct('?from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00Z');
    expect(body).to.deep.equal({ success: true, data: [item('1970-01-01T00:00:00.000Z', 0, 1)], total: 0 });
    expect((await ofProduct()).body.data.at(-1)).to.deep.equal(item('2026-01-01T00:00:00.000Z', 0, 1));
  });

  it('200 for an administrator, also with products and licenses of others', async () => {
    await use();
    const users = await service.parts.get(t.userAdministration);
    good(await users.setRole(eve.user.email, 'admin', operator));
    expect((await ofProduct('', eve)).body).to.deep.equal((await ofProduct()).body);
    expect((await ofLicense('', eve)).body).to.deep.equal((await ofLicense()).body);
  });

  it('401 without a key, 403 without the scope', async () => {
    const { get } = await service.keyOf(ada.user, { scopes: ['account:read', 'marketplace:write', 'licenses:write'] });
    const other = await service.keyOf(ada.user, { scopes: ['marketplace:read'] });
    expect((await service.send(`/api/products/${product.id}/usage`)).status).to.equal(401);
    expect((await get(`/api/products/${product.id}/usage`)).status).to.equal(403);
    expect((await get(`/api/licenses/${license}/usage`)).status).to.equal(403);
    expect((await other.get(`/api/products/${product.id}/usage`)).status).to.equal(200);
    expect((await other.get(`/api/licenses/${license}/usage`)).status).to.equal(403);
  });

  it('404 for those of others, of the other mode and of nobody, with one and the same answer', async () => {
    const house = good(await service.products.add({ title: 'House', ownerId: null }, operator));
    const test = await service.keyOf(ada.user, { mode: 'test' });
    const answers = await Promise.all([
      ofProduct('', eve),
      ofLicense('', eve),
      ofProduct('', test),
      ofLicense('', test),
      ada.get(`/api/products/${house.id}/usage`),
      ada.get(`/api/licenses/${await issue(house)}/usage`),
      ada.get('/api/products/999/usage'),
      ada.get('/api/products/no-jar/usage'),
      ada.get('/api/licenses/LIC-0000-0000-0000-0000/usage'),
      ada.get('/api/licenses/nothing/usage'),
      ofProduct('?by=hour&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', eve),
      ofLicense('?by=hour', eve),
    ]);
    const error = { code: 'NOT_FOUND', message: 'There is nothing at this address.' };
    for (const { status, body } of answers) {
      expect(status).to.equal(404);
      expect(body.error).to.deep.equal(error);
    }
  });

  itLong('422 for a range that is wrong, empty or too long, and for hours of a license', async () => {
    const fieldsOf = async (answer: ReturnType<typeof ofProduct>) => {
      const { status, body } = await answer;
      expect(status).to.equal(422);
      return Object.keys(body.error.fields);
    };
    expect(await fieldsOf(ofProduct('?from=yesterday&to=2026-01-01&by=week'))).to.have.members(['from', 'to', 'by']);
    expect(await fieldsOf(ofProduct('?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'))).to.deep.equal(['to']);
    expect(await fieldsOf(ofProduct('?by=hour&from=2025-11-30T00:00:00Z&to=2026-01-01T00:00:00Z'))).to.deep.equal([
      'from',
    ]);
    expect(await fieldsOf(ofLicense('?from=2024-01-01T00:00:00Z'))).to.deep.equal(['from']);
    expect(await fieldsOf(ofLicense('?by=hour'))).to.deep.equal(['by']);
  });
});
