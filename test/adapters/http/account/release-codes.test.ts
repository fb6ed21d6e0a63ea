import { expect } from 'chai';
import { keccak } from '../../../../adapters/chain/keccak.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const metadata = 'a164736f6c6343000819000a';
const code = '0x6080604052600080fd';

describe('the codes of releases on the account API', () => {
  let service: AccountService;
  let ada: Account;
  let jar: { readonly id: number };
  const path = '/api/products/jar/codes';
  const remove = (account: Account, id: number | string) => account.send(`${path}/${id}`, { method: 'DELETE' });
  before(async () => {
    service = await startAccountService();
    ada = await service.account('pro');
    jar = good(await service.products.add({ title: 'Jar', ownerId: ada.user.id }, operator));
    await service.database.write(async (trx) => {
      const row = { product_id: jar.id, notes: '', zip: 'products/none.zip', created_at: 1 };
      for (const [n, number] of ['1.0', '2.0'].entries())
        await trx('product_versions').insert({ ...row, ordinal: n + 1, number });
    });
  });
  after(() => service.close());

  it('200 with the hash of the code without metadata, and the same for the same code again', async () => {
    const body = {
      version: '1.0',
      contract: ' Dex ',
      runtime_code: `${code.toUpperCase().replace('0X', '0x')}${metadata}`,
    };
    const first = await ada.post(path, body);
    expect(first.status, first.text).to.equal(200);
    expect(first.body.code).to.deep.include({ version: '1.0', contract: 'Dex', code_hash: keccak(code) });
    const again = await ada.post(path, {
      version: '1.0',
      contract: 'Other',
      code_hash: keccak(code).toUpperCase().replace('0X', '0x'),
    });
    expect(again.body.code).to.deep.equal(first.body.code);
  });

  it('200 with the codes, newest first and in pages, and without one that was deleted', async () => {
    const { body } = await ada.post(path, { version: '2.0', contract: 'Dex', runtime_code: '0x00' });
    const first = await ada.send(`${path}?limit=1`);
    expect(first.body.data).to.deep.equal([body.code]);
    const rest = await ada.send(`${path}?limit=1&cursor=${first.body.next_cursor}`);
    expect(rest.body.data).to.have.length(1);
    expect(rest.body.next_cursor).to.equal(null);
    expect((await remove(ada, body.code.id)).body).to.deep.equal({ success: true });
    expect((await ada.get(path)).body.data).to.deep.equal(rest.body.data);
    expect((await remove(ada, body.code.id)).status).to.equal(404);
  });

  it('confirms the deployments that had not matched, and records who did it', async () => {
    const template = await service.template({ slug: 'dex' });
    await service.database.write((trx) => trx('products').where({ id: jar.id }).update({ template_id: template.id }));
    const account = await service.account();
    const address = `0x${'5f'.repeat(20)}`;
    const report = { chain: 'base', chain_id: 8453, address, tx_hash: `0x${'a1'.repeat(32)}`, template_id: 'dex' };
    await account.post('/api/deploy/register', report);
    await service.database.write((trx) => trx('deployments').update({ state: 'mismatch', code_hash: keccak('0x77') }));
    await ada.post(path, { version: '2.0', contract: 'Dex', runtime_code: '0x77' });
    const { body } = await account.get('/api/deployments');
    expect(body.data[0]).to.include({ state: 'confirmed', version: '2.0' });
    const events = await (await service.parts.get(t.auditLog)).list({ limit: 1 });
    expect(events[0]).to.deep.include({ type: 'product.changed', actor: ada.user.email, data: { fields: 'codes' } });
  });

  it('404 for a product of somebody else or of the other mode, an unknown version and an unknown code', async () => {
    const stranger = await service.account('pro');
    const test = await service.keyOf(ada.user, { mode: 'test' });
    const body = { version: '1.0', contract: 'Dex', runtime_code: '0x01' };
    for (const account of [stranger, test]) {
      expect((await account.get(path)).status).to.equal(404);
      expect((await account.post(path, body)).status).to.equal(404);
      expect((await remove(account, 1)).status).to.equal(404);
    }
    const unknown = await ada.post(path, { ...body, version: '3.0' });
    expect([unknown.status, unknown.body.error.message]).to.deep.equal([404, 'The product has no version 3.0.']);
    for (const id of ['999', 'x', '0x1']) expect((await remove(ada, id)).status).to.equal(404);
  });

  itLong('409 for more codes than a product can have', async () => {
    await service.database.write(async (trx) => {
      const row = { product_id: jar.id, version: '1.0', contract: 'Many', created_at: 1 };
      for (let n = 0; n < 500; n++) await trx('release_codes').insert({ ...row, hash: `many ${n}` });
    });
    const answer = await ada.post(path, { version: '1.0', contract: 'Dex', runtime_code: '0x02' });
    expect(answer.status).to.equal(409);
    expect(answer.body.error.message).to.match(/500 codes/);
    await service.database.write((trx) => trx('release_codes').where({ contract: 'Many' }).delete());
  });

  it('422 naming the field that is wrong', async () => {
    const fine = { version: '1.0', contract: 'Dex' };
    for (const [field, body] of [
      ['version', { contract: 'Dex', runtime_code: '0x01' }],
      ['contract', { version: '1.0', contract: ' ', runtime_code: '0x01' }],
      ['runtime_code', fine],
      ['runtime_code', { ...fine, runtime_code: '0x01', code_hash: keccak('0x01') }],
      ['runtime_code', { ...fine, runtime_code: '0x' }],
      ['runtime_code', { ...fine, runtime_code: '0x1' }],
      ['runtime_code', { ...fine, runtime_code: '0x60__$a5$__' }],
      ['runtime_code', { ...fine, runtime_code: `0x${'00'.repeat(65_537)}` }],
      ['code_hash', { ...fine, code_hash: '0x01' }],
    ] as const) {
      const answer = await ada.post(path, body);
      expect(answer.status, JSON.stringify(body).slice(0, 100)).to.equal(422);
      expect(answer.body.error.fields, JSON.stringify(body).slice(0, 100)).to.have.all.keys(field);
    }
    expect((await ada.send(`${path}?cursor=x`)).status).to.equal(422);
  });
});
