import { expect } from 'chai';
import { namesIn, tableOf } from '../../../support/guide-tables.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const day = 86_400_000;
const guide = 'software-license-manager.md';

describe('the guide for those who move from Software License Manager', () => {
  let service: AccountService;
  let key: string;
  let change: (act: string) => Promise<unknown>;
  before(async () => {
    service = await startAccountService();
    const [ada, root] = [await service.account(), await service.administrator()];
    change = (act) => ada.post(`/api/licenses/${key}/${act}`, {});
    await addOwnProduct(service, 'jar', ada);
    await root.send('/api/products/jar/adapters/slm', {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ enabled: true, secret_key: '5f8.1' }),
    });
    const expires = new Date(service.clock.now() + day).toISOString();
    key = (await ada.post('/api/licenses', { product: 'jar', max_domains: 2, expires_at: expires })).body.data[0].key;
  });
  after(() => service.close());

  const call = async (action: string, fields: Record<string, string> = {}) => {
    const own = { license_key: key, secret_key: '5f8.1', registered_domain: 'shop.example' };
    const body = new URLSearchParams({ slm_action: action, ...own, ...fields });
    return (await service.send('/slm', { method: 'POST', body })).body;
  };

  it('has each field of slm_check, and the value of those that never differ', async () => {
    await call('slm_activate');
    const { registered_domains: domains, ...flat } = await call('slm_check');
    const values = new Map<string, unknown>([
      ...Object.entries({ ...flat, registered_domains: domains }),
      ...Object.entries(domains[0]).map(([name, value]) => [`registered_domains.${name}`, value] as const),
    ]);
    const rows = await tableOf(guide, 'Fields of slm_check');
    expect(rows.flatMap(([names]) => namesIn(names))).to.have.members([...values.keys()]);
    const fixed: Record<string, unknown> = { empty: '', '`0000-00-00`': '0000-00-00' };
    for (const [names, , here = ''] of rows) {
      const [word = ''] = here.split(':');
      if (!(word in fixed)) continue;
      for (const name of namesIn(names)) expect(values.get(name), name).to.equal(fixed[word]);
    }
    await call('slm_deactivate');
  });

  itLong('has code and text of each answer', async () => {
    const others = async (first: string) => [await call('slm_activate', { registered_domain: first })];
    const blocked = async () => {
      await change('suspend');
      const told = await call('slm_activate');
      await change('reinstate');
      return told;
    };
    const expired = async () => {
      service.clock.advance(day);
      const told = await call('slm_activate');
      service.clock.advance(-day);
      return told;
    };
    const answers = [await blocked(), await expired(), ...(await others('a.example')), ...(await others('a.example'))];
    answers.push(...(await others('b.example')), ...(await others('c.example')), ...(await others('b.example')));
    const { error_code: _, ...activated } = answers[2];
    expect(activated).to.deep.equal({ result: 'success', message: 'License key activated' });
    answers.push(await call('slm_check', { license_key: '5f8b3e0a9c1d2' }));
    answers.push(await call('slm_activate', { registered_domain: '' }));
    answers.push(await call('slm_deactivate', { registered_domain: 'd.example' }));
    answers.push(await call('slm_check', { secret_key: '' }));
    const told = answers.flatMap(({ error_code: code, message }) =>
      code === undefined ? [] : [[String(code), message]],
    );
    const rows = await tableOf(guide, 'Errors');
    const said = rows.map(([code, , message]) => [namesIn(code)[0] ?? code, namesIn(message)[0]]);
    const named = (text: string) => text.replace(/ on [a-d]\.example$/, ' on …');
    expect(told.map(([code, message = '']) => [code, named(message)])).to.have.deep.members(said);
  });
});
