import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { t } from '../../../apps/wiring/tokens.ts';
import { event } from '../../../core/events/event.ts';
import { blankProduct } from '../../../core/marketplace/product.ts';
import { type Account, type AccountService, startAccountService } from '../../adapters/http/account/account-service.ts';
import { by } from '../../support/by.ts';
import { issuedAt, newProduct } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../../apps/cli/dist/latchkey.js', import.meta.url));

describe('latchkey mcp', () => {
  let service: AccountService;
  let seller: Account;
  let tester: Account;
  let folder: TemporaryFolder;
  const clients: Client[] = [];
  before(async () => {
    folder = await makeTemporaryFolder();
    service = await startAccountService();
    seller = await service.account('pro');
    tester = await service.keyOf(seller.user, { mode: 'test' });
    const products = await service.parts.get(t.productStore);
    for (const [slug, isLive] of [
      ['jar', true],
      ['trial', false],
    ] as const) {
      const product = newProduct({ slug, title: slug, ownerId: seller.user.id, isLive, ...blankProduct });
      await products.add(product, (slug) => event('product.added', slug, by, issuedAt));
    }
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  after(async () => {
    await service?.close();
    await folder?.remove();
  });

  /** Starts the command, and speaks with it as an agent does. */
  async function agent(key: string, ...args: string[]): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, LATCHKEY_URL: service.url, LATCHKEY_API_KEY: key };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp', ...args], env }));
    clients.push(client);
    return client;
  }

  async function use(client: Client, name: string, args: object = {}) {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const [{ text }] = content as [{ text: string }];
    return { isError: isError === true, text };
  }

  itLong('lists products, finds a license, and explains why a site fails', async () => {
    const client = await agent(seller.key);
    expect(JSON.parse((await use(client, 'list_products')).text)).to.have.nested.property('[0].slug', 'jar');
    const { body } = await seller.post('/api/licenses', { product: 'jar', count: 1 });
    const [{ key }] = body.data;
    const found = JSON.parse((await use(client, 'find_licenses', { search: key, status: 'active' })).text);
    expect(found.map((one: { key: string }) => one.key)).to.deep.equal([key]);
    expect(JSON.parse((await use(client, 'show_license', { license_key: key })).text)).to.include({ key });
    const why = JSON.parse((await use(client, 'explain_license', { license_key: key, domain: 'a.example' })).text);
    expect(why).to.include({ valid: false, error: 'invalid_domain' });
  });

  itLong('reads webhooks and their deliveries, and never shows a secret', async () => {
    const created = await seller.post('/api/webhooks', { url: 'https://hooks.example/known-to-few', events: '*' });
    expect(created.status, created.text).to.equal(200);
    const { id, secret } = created.body.webhook;
    const client = await agent(seller.key);
    const listed = await use(client, 'list_webhooks');
    expect(listed.text).to.include('"https://hooks.example"').and.not.include('known-to-few').and.not.include(secret);
    const deliveries = await use(client, 'list_webhook_deliveries', { webhook: id });
    expect(deliveries).to.deep.equal({ isError: false, text: '[]' });
  });

  itLong('only reads, unless writes are allowed; then it issues licenses in test mode', async () => {
    const reader = await agent(tester.key);
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).to.not.include('issue_test_license');
    for (const { annotations } of tools) expect(annotations).to.include({ readOnlyHint: true });
    const writer = await agent(tester.key, '--allow-writes');
    const issued = await use(writer, 'issue_test_license', { product: 'trial', max_domains: 2 });
    expect(JSON.parse(issued.text)).to.include({ max_domains: 2, livemode: false });
    const live = await agent(seller.key, '--allow-writes');
    expect(await use(live, 'issue_test_license', { product: 'jar' })).to.deep.include({ isError: true });
    expect((await use(live, 'find_licenses', { product: 'jar' })).text).to.not.include('"mcp"');
  });

  itLong('tells the agent what was wrong with a call', async () => {
    const client = await agent(seller.key);
    const unknown = await use(client, 'show_license', { license_key: 'LIC-0000-0000-0000-0000' });
    expect(unknown).to.deep.equal({ isError: true, text: 'There is no license with this key.' });
    expect((await use(client, 'list_products', { limit: 1_000 })).isError).to.equal(true);
    const stranger = await agent('lk_sk_live_0123456789abcdef0123456789abcdef');
    expect((await use(stranger, 'list_products')).text).to.include('does not accept the API key');
  });
});
