import { readdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { writeZip } from '../../apps/samples/sample.ts';
import { startNeighbour } from '../support/neighbour-server.ts';
import { itLong, needing, skipLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

needing(skipLong).describe('administration of accounts, templates and products', () => {
  let folder: TemporaryFolder;
  let admin: Administration;
  let settings: Record<string, string>;
  before(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: `disk:${folder.file('files')}` };
    admin = administer(settings);
    await writeZip(folder.file('good.zip'), { 'README.md': '# Sample' });
    await admin.text('migrate');
    await admin.text('user', 'add', '--name', 'Ada', '--email', 'ada@example.com');
  });
  after(() => folder.remove());

  const template = (slug: string, zip = 'good.zip') => [
    ...['template', 'add', '--slug', slug, '--title', 'Simple DEX', '--description', 'Swaps.'],
    ...['--category', 'defi-dex', '--tier', 'pro', '--zip', folder.file(zip)],
  ];

  itLong(
    'prints a new key only once, later lists only its start and end, and revokes it for a running server too',
    async () => {
      const { key } = await admin.json(
        'key',
        'create',
        '--user',
        'ada@example.com',
        '--expires',
        '30d',
        '--mode',
        'test',
      );
      expect(key.secret).to.match(/^lk_sk_test_[0-9a-f]{32}$/);
      const listed = await admin.text('key', 'list', '--user', '1', '--json');
      expect(listed).to.not.include(key.secret);
      expect(JSON.parse(listed).keys[0]).to.include({ id: key.id, mode: 'test', last_four: key.secret.slice(-4) });
      await using server = await startNeighbour(settings);
      const me = async () =>
        (await fetch(`${server.url}/api/auth/me`, { headers: { 'X-API-Key': key.secret } })).status;
      expect(await me()).to.equal(200);
      await admin.text('key', 'revoke', key.prefix, '--reason', 'leaked');
      expect(await me()).to.equal(401);
      expect((await admin.json('audit', '--subject', key.prefix)).events[0]).to.include({ reason: 'leaked' });
    },
  );

  it('creates a key that never expires', async () => {
    const { key } = await admin.json('key', 'create', '--user', '1', '--expires', 'never');
    expect(key.expires_at).to.equal(null);
    expect((await admin.json('key', 'list', '--user', '1')).keys[0].expires_at).to.equal(null);
  });

  itLong('creates a key with some scopes or with all of them, and lists them', async () => {
    const create = async (...more: string[]) => (await admin.json('key', 'create', '--user', '1', ...more)).key;
    const some = await create('--scopes', 'webhooks:write, templates:read,templates:read');
    expect(some.scopes).to.deep.equal(['templates:read', 'webhooks:write']);
    for (const key of [await create(), await create('--scopes', 'all')]) expect(key.scopes).to.equal(null);
    const { keys } = await admin.json('key', 'list', '--user', '1');
    expect(keys.find(({ id }: { id: number }) => id === some.id).scopes).to.deep.equal(some.scopes);
    const [, last, , first] = (await admin.text('key', 'list', '--user', '1')).split('\n');
    expect(last).to.match(/ all +active/);
    expect(first).to.match(/ templates:read,webhooks:write +active/);
    for (const wrong of ['', 'templates', 'templates:read,', 'all,templates:read']) {
      const refused = await admin.misuse('key', 'create', '--user', '1', '--scopes', wrong);
      expect(refused).to.match(/It must be all, or some of account:read,templates:read/);
    }
  });

  itLong('rotates a key: prints the new one only once, and ends the old one after the overlap', async () => {
    const create = async () => (await admin.json('key', 'create', '--user', '1', '--scopes', 'account:read')).key;
    const old = await create();
    const { key, replaced } = await admin.json('key', 'rotate', old.prefix, '--overlap', '12h', '--reason', 'yearly');
    expect(key.secret).to.match(/^lk_sk_live_[0-9a-f]{32}$/);
    expect(key).to.deep.include({ scopes: ['account:read'], expires_at: null, replaced_by: null });
    expect(replaced).to.include({ id: old.id, replaced_by: key.id });
    expect(Date.parse(replaced.expires_at) - Date.parse(key.created_at)).to.equal(43_200_000);
    expect(await admin.text('key', 'list', '--user', '1', '--json')).to.not.include(key.secret);
    const [event] = (await admin.json('audit', '--subject', old.prefix)).events;
    expect(event).to.include({ type: 'key.rotated', reason: 'yearly' });
    const other = await create();
    const shown = await admin.text('key', 'rotate', String(other.id), '--overlap', '0');
    expect(shown).to.match(/^lk_sk_live_[0-9a-f]{32}\nStore it safely: .* stops working at \S+Z\.$/);
    expect(await admin.text('key', 'rotate', String((await create()).id))).to.include('Store it safely');
  });

  itLong('refuses to rotate a key twice, a revoked or unknown key, and a wrong overlap', async () => {
    const { key } = await admin.json('key', 'create', '--user', '1');
    const id = String(key.id);
    for (const wrong of ['8d', '169h', '7', '-1d', '1w', '', 'never']) {
      expect(await admin.misuse('key', 'rotate', id, `--overlap=${wrong}`), wrong).to.match(/at most 7 days/);
    }
    await admin.text('key', 'rotate', id);
    expect(await admin.refusal('key', 'rotate', id)).to.match(
      /already rotated\. Rotate the key that replaced it: \d+\.$/,
    );
    await admin.text('key', 'revoke', id);
    const revoked = (await admin.json('key', 'create', '--user', '1')).key;
    await admin.text('key', 'revoke', String(revoked.id));
    expect(await admin.refusal('key', 'rotate', String(revoked.id))).to.match(/was revoked/);
    expect(await admin.refusal('key', 'rotate', '999')).to.match(/No API key/);
  });

  it('refuses an unknown user, an unknown key, and a prefix that several keys have', async () => {
    expect(await admin.refusal('key', 'create', '--user', 'eve@example.com')).to.match(/No user/);
    expect(await admin.refusal('key', 'list', '--user', '99')).to.match(/No user/);
    expect(await admin.refusal('key', 'revoke', '99')).to.match(/No API key/);
    await admin.text('key', 'create', '--user', '1');
    expect(await admin.refusal('key', 'revoke', 'lk_sk_')).to.match(/API keys start with/);
  });

  it('changes the plan of a user', async () => {
    expect((await admin.json('user', 'set-tier', 'ada@example.com', 'pro')).user.tier).to.equal('pro');
    expect(await admin.misuse('user', 'set-tier', 'ada@example.com', 'gold')).to.match(/gold/);
    expect(await admin.refusal('user', 'set-tier', 'eve@example.com', 'pro')).to.match(/No user/);
  });

  itLong('adds, changes and lists templates, and adds a purchase only once', async () => {
    writeFileSync(folder.file('parameters.json'), '[{"name":"supply","type":"number","label":"Supply"}]');
    const parameters = ['--parameters', folder.file('parameters.json'), '--tags', 'a, b'];
    const added = (await admin.json(...template('simple-dex'), ...parameters)).template;
    expect(added).to.include({ slug: 'simple-dex', tier: 'pro', download_count: 0 });
    expect(added.tags).to.deep.equal(['a', 'b']);
    expect(added.parameters[0]).to.include({ name: 'supply', required: false, default: null });
    const updated = (await admin.json('template', 'update', 'simple-dex', '--title', 'Better DEX')).template;
    expect(updated).to.deep.equal({ ...added, title: 'Better DEX' });
    expect((await admin.json('template', 'list')).templates).to.deep.equal([updated]);
    const purchase = ['purchase', 'add', '--user', '1', '--template', 'simple-dex'];
    expect((await admin.json(...purchase)).purchase.is_new).to.equal(true);
    expect((await admin.json(...purchase)).purchase.is_new).to.equal(false);
    expect(await admin.refusal('purchase', 'add', '--user', '1', '--template', 'nothing')).to.match(/No template/);
  });

  itLong('refuses invalid or incomplete templates, and stores no file of them', async () => {
    const stored = () => readdirSync(folder.file('files'), { recursive: true }).sort();
    await admin.text(...template('first'));
    const before = stored();
    writeFileSync(folder.file('no.zip'), 'This is not a zip.');
    writeFileSync(folder.file('bad.json'), '[{"name":"supply"}]');
    expect(await admin.refusal(...template('first'))).to.match(/first already/);
    expect(await admin.refusal(...template('2048'))).to.match(/not only of digits/);
    expect(await admin.refusal(...template('second', 'no.zip'))).to.match(/neither a zip/);
    expect(await admin.refusal(...template('second', 'missing.zip'))).to.match(/missing\.zip/);
    expect(await admin.refusal(...template('second'), '--parameters', folder.file('bad.json'))).to.match(/bad\.json/);
    expect(await admin.misuse('template', 'add', '--slug', 'second')).to.match(/needs --title/);
    expect(await admin.refusal('template', 'update', 'nothing', '--title', 'x')).to.match(/No template/);
    expect(stored()).to.deep.equal(before);
  });

  itLong('counts deployments by chain and template, separately for live and test keys', async () => {
    const { key } = await admin.json('key', 'create', '--user', '1');
    await using server = await startNeighbour(settings);
    for (const [chain_id, digit] of [
      [10, 'a'],
      [10, 'b'],
      [5, 'c'],
    ] as const) {
      const body = { chain: 'x', chain_id, address: `0x${'1'.repeat(40)}`, tx_hash: `0x${digit.repeat(64)}` };
      await fetch(`${server.url}/api/deploy/register`, {
        method: 'POST',
        headers: { 'X-API-Key': key.secret, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    }
    expect((await admin.json('deployment', 'count')).deployments).to.deep.equal([
      { chain_id: 10, template_id: null, count: 2 },
      { chain_id: 5, template_id: null, count: 1 },
    ]);
    expect((await admin.json('deployment', 'count', '--mode', 'test')).deployments).to.deep.equal([]);
  });

  itLong('approves and unlists a product, and refuses changes that its status does not allow', async () => {
    await admin.text('product', 'add', '--title', 'House product');
    const change = async (to: string) => (await admin.json('product', to, 'house-product')).product.status;
    expect(await change('approve')).to.equal('published');
    expect(await admin.refusal('product', 'reject', 'house-product')).to.match(/^Cannot reject a product/);
    expect(await admin.refusal('product', 'resubmit', 'house-product')).to.match(/^Cannot resubmit/);
    expect(await change('unlist')).to.equal('unlisted');
    expect(await admin.refusal('product', 'approve', 'nothing')).to.match(/No product/);
    const { products, total } = await admin.json('product', 'list', '--status', 'unlisted');
    expect({ total, slugs: products.map(({ slug }: { slug: string }) => slug) }).to.deep.equal({
      total: 1,
      slugs: ['house-product'],
    });
  });

  itLong('links a product to a template, by id or slug, and to none again', async () => {
    const { product } = await admin.json('product', 'add', '--title', 'Linked');
    const { template: added } = await admin.json(...template('linked'));
    const link = (wanted: string) => admin.json('product', 'link', product.slug, '--template', wanted);
    const linked = { id: product.id, slug: product.slug, template: 'linked' };
    expect((await link(added.slug)).product).to.deep.equal(linked);
    expect((await link(String(added.id))).product).to.deep.equal(linked);
    expect((await link('none')).product).to.deep.equal({ ...linked, template: null });
    const { events } = await admin.json('audit', '--subject', product.slug, '--limit', '1');
    expect(events[0]).to.deep.include({ type: 'product.template_set', data: { template: null } });
    expect(await admin.refusal('product', 'link', product.slug, '--template', 'unknown')).to.equal(
      'No template has the id or slug unknown.',
    );
    expect(await admin.refusal('product', 'link', 'unknown', '--template', 'none')).to.equal(
      'No product has the id or slug unknown.',
    );
  });
});
