import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { countDeployments } from '../../../../core/selling/deployment-figures.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('GET /api/deployments/figures', () => {
  let service: AccountService;
  let seller: Account;
  let buyer: Account;
  let templates: readonly number[];
  before(async () => {
    service = await startAccountService();
    seller = await service.account('pro');
    buyer = await service.account('pro');
    const made = [await service.template({ slug: 'dex' }), await service.template({ slug: 'mint' })];
    templates = made.map(({ id }) => id);
    const links = await service.parts.get(t.productTemplates);
    for (const [n, { slug }] of made.entries()) {
      const product = good(await service.products.add({ title: `Sold ${n}`, ownerId: seller.user.id }, operator));
      good(await links.link(String(product.id), slug, operator));
    }
    const report = async (one: Account, n: number, chain_id: number, template_id: string | null) => {
      const body = {
        chain: 'x',
        chain_id,
        address: `0x${'5f'.repeat(20)}`,
        tx_hash: `0x${String(n).padStart(64, '0')}`,
      };
      expect((await one.post('/api/deploy/register', { ...body, template_id })).status).to.equal(200);
    };
    await report(buyer, 1, 8453, 'dex');
    await report(buyer, 2, 1, 'dex');
    await report(buyer, 3, 1, 'mint');
    await report(buyer, 4, 1, null);
    await countDeployments(await service.parts.get(t.deploymentFigures), () => true);
  });
  after(() => service.close());

  const read = async (one: Account, query: string) => {
    const { status, body, text } = await one.send(`/api/deployments/figures?${query}`);
    expect(status, text).to.equal(200);
    return body.data;
  };

  itLong('200 with the deployments of the own templates only, by day and chain', async () => {
    const [today, ...more] = await read(seller, '');
    expect(more).to.deep.equal([]);
    expect(today).to.include({ reported: 3, confirmed: 0, chain_id: null });
    expect(await read(seller, 'by=chain')).to.have.length(2);
    expect(await read(buyer, '')).to.deep.equal([]);
    expect(await read(seller, 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).to.deep.equal([]);
  });

  it('200 by template, release and account', async () => {
    const rows = await read(seller, 'by=template');
    expect(rows.map(({ template_id }: { template_id: number }) => template_id)).to.deep.equal(templates);
    expect(await read(seller, 'by=release')).to.deep.equal([]);
    const [account] = await read(seller, 'by=account&product=sold-0');
    expect(account).to.include({ account: buyer.user.id, reported: 2, day: null });
  });

  it('200 with nothing for a test key, whose deployments are apart', async () => {
    expect(await read(await service.keyOf(seller.user, { mode: 'test' }), '')).to.deep.equal([]);
  });

  it('200 with the same as a file, and 404 or 422 as without it', async () => {
    const { status, text, headers } = await seller.send('/api/deployments/figures/export?by=template');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/csv; charset=utf-8']);
    const [head, ...lines] = text.trim().split('\r\n');
    expect(head).to.match(/^day,chain,/);
    expect(lines).to.have.length(2);
    for (const [who, query, expected] of [
      [buyer, 'product=sold-0', 404],
      [seller, 'by=account', 422],
      [seller, 'from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 422],
    ] as const) {
      expect((await who.send(`/api/deployments/figures/export?${query}`)).status, query).to.equal(expected);
    }
  });

  it('404 for a product of somebody else, and 422 naming what is wrong', async () => {
    expect((await buyer.send('/api/deployments/figures?product=sold-0')).status).to.equal(404);
    for (const [field, query] of [
      ['by', 'by=week'],
      ['product', 'by=account'],
      ['from', 'from=yesterday'],
      ['from', 'from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'],
      ['to', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'],
    ]) {
      const answer = await seller.send(`/api/deployments/figures?${query}`);
      expect(answer.status, query).to.equal(422);
      expect(answer.body.error.fields, query).to.have.all.keys(String(field));
    }
  });

  it('403 without the scope, and 401 without a key', async () => {
    const limited = await service.keyOf(seller.user, { scopes: ['templates:read'] });
    expect((await limited.get('/api/deployments/figures')).status).to.equal(403);
    expect((await service.send('/api/deployments/figures')).status).to.equal(401);
  });
});
