import { expect } from 'chai';
import type { WebAnswer } from '../support/web-client.ts';
import { type SellingService, startSellingService } from './selling-service.ts';

const statusOf = ({ status, location }: WebAnswer) => [status, location?.replace(/\/orders\/[0-9a-z]+/, '/orders/T')];
const shop = { PAYMENTS_URL: 'test:demo,manual:', PAYMENT_INSTRUCTIONS: 'Send it to IBAN DE00 1234.' };

describe('the pages for buyers', () => {
  let service: SellingService;
  before(async () => {
    service = await startSellingService(shop);
    await service.product(null, 'swap', { title: 'Swap', price: 4900, archivedAt: null, sellerName: 'Ada & Co' });
  });
  after(() => service.close());

  it('let a guest pay, and show the key', async () => {
    const guest = service.browser();
    const page = await guest.get('/marketplace/swap/buy');
    expect([page.status, page.heading], page.text).to.deep.equal([200, 'Buy Swap']);
    const bought = await guest.submit(page, { email: 'bob@example.com', name: 'Bob', way: 'test' });
    expect(statusOf(bought), bought.text).to.deep.equal([303, '/orders/T/pay']);
    const pay = await guest.follow(bought);
    expect(pay.text).to.include('no money moves');
    const paid = await guest.submit(pay, {}, 'Pay $49.00');
    expect(statusOf(paid), paid.text).to.deep.equal([303, '/orders/T']);
    const order = await guest.follow(paid);
    expect(order.html).to.match(/LIC-/);
    console.log(order.text);
  });
});
