import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('customers on the account API', () => {
  let service: AccountService;
  let ada: Account;
  before(async () => {
    service = await startAccountService(payable);
    ada = await service.account('pro');
    const published = await ada.submit('/api/marketplace/publish', listingForm({ title: 'Jar', price: '49.90' }));
    expect(published.status, published.text).to.equal(200);
    await (await service.parts.get(t.products)).change('jar', 'approve', operator);
    await placeOrder(service.parts, 'jar', { email: 'grace@example.com', name: 'G.' });
    await placeOrder(service.parts, 'jar', { email: 'grace@example.com', name: 'Grace', payment: { refunded: 1_000 } });
    await placeOrder(service.parts, 'jar', { email: 'alan@example.com' });
    await placeOrder(service.parts, 'jar', { email: 'eve@example.com', isPaid: false });
  });
  after(() => service.close());

  const list = (query: Record<string, string> = {}, who = ada) => who.get('/api/customers', query);

  itLong('200 with those who paid, by address, and the sums of their orders', async () => {
    const { status, body } = await list();
    expect([status, body.success, body.next_cursor]).to.deep.equal([200, true, null]);
    const [alan, grace, ...others] = body.data;
    expect(others).to.deep.equal([]);
    expect(alan).to.deep.include({ email: 'alan@example.com', name: null, orders: 1, licenses: 1 });
    expect(grace).to.deep.include({
      ...{ email: 'grace@example.com', name: 'Grace', orders: 2, licenses: 2, may_have_more: false },
      kept: [{ currency: 'usd', amount: 2 * 4_990 - 1_000 }],
      last_visit_at: null,
    });
    expect(grace.first_order_at <= grace.last_order_at).to.equal(true);
  });

  it('200 with the customers whose address begins with the text', async () => {
    const emailsOf = async (search: string) =>
      (await list({ search })).body.data.map(({ email }: { email: string }) => email);
    expect(await emailsOf('GRACE@')).to.deep.equal(['grace@example.com']);
    expect(await emailsOf('eve')).to.deep.equal([]);
  });

  it('200 with pages', async () => {
    const first = (await list({ limit: '1' })).body;
    expect(first.data[0].email).to.equal('alan@example.com');
    const second = (await list({ limit: '1', cursor: first.next_cursor })).body;
    expect([second.data[0].email, second.next_cursor]).to.deep.equal(['grace@example.com', null]);
  });

  it('200 with no customers of others', async () => {
    expect((await list({}, await service.account('pro'))).body.data).to.deep.equal([]);
  });

  it('422 for a wrong cursor, limit or search', async () => {
    for (const wrong of [{ cursor: '%' }, { limit: '101' }, { search: 'x'.repeat(501) }]) {
      expect((await list(wrong)).status, JSON.stringify(wrong)).to.equal(422);
    }
  });
});
