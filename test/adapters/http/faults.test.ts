import { expect } from 'chai';
import { createFaults } from '../../../adapters/http/faults.ts';
import { itLong } from '../../support/required-service.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard/dashboard-service.ts';

describe('what is wrong with fields', () => {
  it('is collected once for each text, in order, beside what was known', () => {
    const faults = createFaults({ zip: ['Too large.'] });
    for (const text of ['b', 'a', 'b']) faults.add('name', text);
    faults.add('__proto__', 'c');
    faults.set('name', ['d']);
    expect(Object.entries(faults.all)).to.deep.equal([
      ['zip', ['Too large.']],
      ['name', ['d']],
      ['__proto__', ['c']],
    ]);
  });

  it('is limited, so that a body full of faults costs little', () => {
    const faults = createFaults();
    for (let n = 0; n < 1_000; n++) {
      faults.add('name', `fault ${n}`);
      faults.add(`field ${n}`, 'fault');
    }
    expect(Object.keys(faults.all)).to.have.length(100);
    expect(faults.all.name).to.have.length(20);
  });
});

describe('a body with more values than any call or form has', () => {
  let service: DashboardService;
  let ada: Person;
  before(async () => {
    service = await startDashboardService();
    ada = await service.signedInUser({ name: 'Ada' });
  });
  after(() => service.close());

  itLong('400 on the API, however deep they are', async () => {
    const { key } = await service.account('free');
    const send = async (body: object) => {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
      return await service.send('/api/products/jar', { method: 'PATCH', headers, body: JSON.stringify(body) });
    };
    const names = Array.from({ length: 2_000 }, (_, n) => [`a${n}`, 1]);
    for (const body of [{ prices: Object.fromEntries(names) }, { a: { b: names } }, { tags: Array(3_000).fill(1) }]) {
      const { status, body: answer } = await send(body);
      expect([status, answer.error.message]).to.deep.equal([400, 'The request body has too many values.']);
    }
    expect((await send({ prices: Object.fromEntries(names.slice(0, 1_990)) })).status).to.equal(422);
  });

  itLong('400 on a page', async () => {
    const form = { name: 'x', scopes: Array(2_000).fill('') };
    expect((await ada.browser.post('/account/keys/new', form)).status).to.equal(400);
    expect((await ada.browser.post('/account/keys/new', { ...form, scopes: Array(1_900).fill('') })).status).to.equal(
      422,
    );
  });
});
