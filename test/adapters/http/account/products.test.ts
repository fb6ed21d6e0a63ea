import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('the products of a seller over the API', () => {
  let service: AccountService;
  let seller: Account;
  let admin: Account;
  before(async () => {
    service = await startAccountService();
    admin = await service.account();
    good(await (await service.parts.get(t.userAdministration)).setRole(admin.user.email, 'admin', operator));
  });
  beforeEach(async () => {
    seller = await service.account();
  });
  after(() => service.close());

  const publish = async (account: Account, parts: Readonly<Record<string, Part>> = {}): Promise<string> => {
    const { status, body } = await account.submit('/api/marketplace/publish', listingForm(parts));
    expect(status).to.equal(200);
    return `/api/products/${body.product.id}`;
  };
  const patch = (account: Account, path: string, body: object): Promise<Answer> =>
    account.send(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const act = (account: Account, path: string, step: string) => account.post(`${path}/${step}`, {});
  const codes = ({ status, body }: Answer) => [status, body.error?.code];

  /** Every call for one product. */
  const calls: readonly ((account: Account, path: string) => Promise<Answer>)[] = [
    (account, path) => account.get(path),
    (account, path) => patch(account, path, { title: 'Mine' }),
    (account, path) => account.get(`${path}/versions`),
    (account, path) => account.get(`${path}/download`),
    (account, path) => account.submit(`${path}/versions`, listingForm({ thumbnail: undefined })),
    (account, path) => account.submit(`${path}/thumbnail`, listingForm({ product_zip: undefined })),
    (account, path) => account.post(`${path}/reject`, { reason: 'No.' }),
    ...['unlist', 'relist', 'resubmit', 'archive', 'approve'].map(
      (step) => (account: Account, path: string) => act(account, path, step),
    ),
  ];

  itLong(
    '404 for the products of others, of the other mode, of nobody, and for unknown ones alike, and nothing changes',
    async () => {
      const other = await publish(await service.account());
      const tested = await publish(await service.keyOf(seller.user, { mode: 'test' }));
      const { id } = good(await service.products.add({ title: 'House', ownerId: null }, operator));
      const stored = async () => [await service.rows('products'), await service.rows('product_versions')];
      const before = [await stored(), await service.files()];
      for (const path of [
        other,
        tested,
        `/api/products/${id}`,
        '/api/products/999999',
        '/api/products/no-such-thing',
      ]) {
        for (const call of calls) {
          const { status, body } = await call(seller, path);
          expect([status, body]).to.deep.equal([
            404,
            { error: { code: 'NOT_FOUND', message: `No product has the id or slug ${path.split('/').at(-1)}.` } },
          ]);
        }
      }
      expect([await stored(), await service.files()]).to.deep.equal(before);
      for (const path of [other, `/api/products/${id}`]) expect((await admin.get(path)).status).to.equal(200);
      expect((await admin.get(tested)).status).to.equal(404);
    },
  );

  itLong('200 by id and by slug, with terms, version and seller name', async () => {
    const path = await publish(seller, { title: 'By slug' });
    const { body } = await seller.get(path);
    expect(body.success).to.equal(true);
    expect(body.product).to.include({ slug: 'by-slug', version: '1', seller_name: null, livemode: true });
    expect((await seller.get('/api/products/by-slug')).body.product.id).to.equal(body.product.id);
  });

  itLong(
    '200 for a change of every field; a published product stays published; the same again writes nothing',
    async () => {
      const path = await publish(seller);
      await act(admin, path, 'approve');
      const change = {
        title: 'New title',
        tagline: 'New tagline',
        description: '東'.repeat(20_000),
        price: '7.5',
        module: 'dex',
        variant: 'v2',
        category: null,
        subcategory: 'amm',
        tags: ['a', 'b'],
        blockchains: [],
        is_supported: true,
        seller_name: 'Ada & Co',
        links: { demo: 'https://demo.example.com/a?b=1', source: 'https://git.example.com/x', video: null },
        terms: {
          max_domains: 3,
          duration: { days: 365, from: 'first_activation' },
          local_hosts_are_free: true,
          preview_hosts: ['*.preview.example.com', 'staging.*'],
          www_is_apex: true,
          moves_per_month: 0,
          rotations_per_year: 4,
          lease_hours: 24,
          on_refund: 'keep',
          domain_proof: 'to_take',
          deactivation: 'cool_down',
          cool_down_hours: 720,
        },
      };
      const { status, body } = await patch(seller, path, change);
      expect(status, JSON.stringify(body).slice(0, 300)).to.equal(200);
      expect(body.product).to.deep.include({ ...change, price: '7.50', status: 'published' });
      expect((await seller.get(path)).body.product).to.deep.include({ ...change, price: '7.50' });
      const events = () => service.rows('audit_log');
      const before = await events();
      expect(before.at(-1)).to.include({ type: 'product.changed', actor: seller.user.email });
      for (const nothing of [{}, change, { terms: {} }])
        expect((await patch(seller, path, nothing)).status).to.equal(200);
      expect(await events()).to.deep.equal(before);
      const { body: partly } = await patch(seller, path, { terms: { max_domains: 9, duration: null } });
      expect(partly.product.terms).to.deep.equal({ ...change.terms, max_domains: 9, duration: null });
      const { body: linked } = await patch(seller, path, { links: { source: null, video: 'https://v.example' } });
      expect(linked.product.links).to.deep.equal({ ...change.links, source: null, video: 'https://v.example' });
    },
  );

  itLong('422 for unknown and wrong fields, by field', async () => {
    const path = await publish(seller);
    const wrong: Readonly<Record<string, unknown>> = {
      slug: 'mine',
      status: 'published',
      title: ' ',
      price: '-1',
      description: 'short',
      is_supported: 'true',
      tags: Array(21).fill('a'),
      seller_name: 'x'.repeat(81),
    };
    const { status, body } = await patch(seller, path, wrong);
    expect([status, body.error.code]).to.deep.equal([422, 'VALIDATION_ERROR']);
    expect(Object.keys(body.error.fields).toSorted()).to.deep.equal(Object.keys(wrong).toSorted());
    for (const demo of [
      'http://a.example',
      'javascript:alert(1)',
      'https://',
      'https://u@a.example',
      `https://a.example/${'x'.repeat(500)}`,
      7,
    ]) {
      const answer = await patch(seller, path, { links: { demo } });
      expect([answer.status, Object.keys(answer.body.error.fields)], String(demo)).to.deep.equal([422, ['links']]);
    }
    for (const terms of [
      { max_domains: 0 },
      { max_domains: 1_000_001 },
      { duration: { days: 36_501, from: 'issue' } },
      { duration: { days: 1, from: 'payment' } },
      { moves_per_month: 1_001 },
      { rotations_per_year: 101 },
      { lease_hours: 0 },
      { lease_hours: 8_761 },
      { domain_proof: 'sometimes' },
      { deactivation: 'nobody' },
      { cool_down_hours: 0 },
      { cool_down_hours: 721 },
      { preview_hosts: Array(51).fill('*.example.com') },
      { preview_hosts: ['*.com'] },
      { preview_hosts: ['x'.repeat(254)] },
      { preview_hosts: ['a*.example.com'] },
      { unknown: 1 },
    ]) {
      const answer = await patch(seller, path, { terms });
      expect(answer.status, JSON.stringify(terms).slice(0, 60)).to.equal(422);
      expect(Object.keys(answer.body.error.fields)).to.deep.equal(['terms']);
    }
    const both = await patch(seller, path, { terms: { lease_hours: 0, cool_down_hours: 721 } });
    expect(both.body.error.fields.terms).to.deep.equal([
      'lease_hours: It must be a whole number from 1 to 8760.',
      'cool_down_hours: It must be a whole number from 1 to 720.',
    ]);
  });

  itLong('go through review: rejected with a reason that the seller is told, submitted again, approved', async () => {
    const path = await publish(seller);
    expect(codes(await admin.post(`${path}/reject`, {}))).to.deep.equal([422, 'VALIDATION_ERROR']);
    expect((await admin.post(`${path}/reject`, { reason: ' No license. ' })).body.product).to.include({
      status: 'rejected',
      rejection_reason: 'No license.',
    });
    expect((await act(seller, path, 'resubmit')).body.product).to.include({
      status: 'pending',
      rejection_reason: null,
    });
    expect((await act(admin, path, 'approve')).body.product.status).to.equal('published');
    const notices = (await service.rows('notifications')).filter(
      ({ user_id, kind }) => user_id === seller.user.id && kind !== 'key_made',
    );
    expect(notices.map(({ kind }) => kind)).to.deep.equal(['product_rejected', 'product_approved']);
    expect(notices[0]?.data).to.include('"reason":"No license."');
    const mails = (await service.rows('mails')).filter(
      ({ address, kind }) => address === seller.user.email && kind !== 'key-made',
    );
    expect(mails.map(({ kind }) => kind)).to.deep.equal(['product-rejected', 'product-approved']);
    const rejected = (await service.rows('audit_log')).filter(({ type }) => type === 'product.rejected').at(-1);
    expect(rejected).to.include({ actor: admin.user.email, reason: 'No license.' });
  });

  itLong('409 for a decision about a product that has changed since the moderator saw it', async () => {
    const path = await publish(seller);
    const { updated_at } = (await admin.get(path)).body.product;
    service.clock.advance(1_000);
    expect((await patch(seller, path, { title: 'Something else' })).status).to.equal(200);
    const seen = { updated_at, reason: 'x' };
    for (const act of ['approve', 'reject']) {
      expect(codes(await admin.post(`${path}/${act}`, seen)), act).to.deep.equal([409, 'CONFLICT']);
    }
    const { body } = await admin.get(path);
    expect(body.product.status).to.equal('pending');
    const now = { updated_at: body.product.updated_at };
    expect((await admin.post(`${path}/approve`, now)).body.product.status).to.equal('published');
  });

  it('403 for a seller who approves or rejects an own product', async () => {
    const path = await publish(seller);
    expect(codes(await act(seller, path, 'approve'))).to.deep.equal([403, 'FORBIDDEN']);
    expect(codes(await seller.post(`${path}/reject`, { reason: 'x' }))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await seller.get(path)).body.product.status).to.equal('pending');
  });

  itLong(
    'are unlisted and listed again by their seller, but wait for approval after a moderator took them down',
    async () => {
      const path = await publish(seller);
      await act(admin, path, 'approve');
      for (const step of ['unlist', 'relist', 'unlist', 'relist']) {
        const { body } = await act(seller, path, step);
        expect(body.product.status).to.equal(step === 'unlist' ? 'unlisted' : 'published');
      }
      await act(admin, path, 'unlist');
      expect((await act(seller, path, 'relist')).body.product.status).to.equal('pending');
    },
  );

  it('409 for a transition that the status does not allow, with what is possible', async () => {
    const path = await publish(seller);
    const { status, body } = await act(seller, path, 'relist');
    expect([status, body.error]).to.deep.equal([
      409,
      {
        code: 'CONFLICT',
        message: 'Cannot relist a product that is pending. It can be approved, rejected or archived.',
      },
    ]);
  });

  itLong('409 for every change of an archived product, whose files stay; it is listed only as archived', async () => {
    const path = await publish(seller, { title: 'Gone' });
    await act(admin, path, 'approve');
    const { body } = await act(seller, path, 'archive');
    expect(body.product).to.include({ status: 'unlisted', archived_at: new Date(service.clock.now()).toISOString() });
    const files = await service.files();
    for (const [index, call] of calls.entries()) {
      const isRead = [0, 2, 3].includes(index);
      const answer = await call(admin, path);
      expect(answer.status, String(index)).to.equal(isRead ? 200 : 409);
    }
    expect(await service.files()).to.deep.equal(files);
    expect((await service.send('/marketplace/gone')).status).to.equal(404);
    const listed = async (query: Record<string, string>) => (await seller.get('/api/products', query)).body.data.length;
    expect([
      await listed({}),
      await listed({ status: 'unlisted' }),
      await listed({ status: 'archived' }),
    ]).to.deep.equal([0, 0, 1]);
  });

  itLong('200 with the own products in pages, found by q and by status; administrators see those of all', async () => {
    for (const title of ['Blue jar', 'Red jar', 'Green pot'])
      await publish(seller, { title: `${title} ${seller.keyId}` });
    const listed = async (account: Account, query: Record<string, string> = {}) => {
      const { status, body } = await account.get('/api/products', query);
      expect(status, JSON.stringify(body)).to.equal(200);
      return { titles: body.data.map(({ title }: { title: string }) => title.split(' ')[0]), next: body.next_cursor };
    };
    const first = await listed(seller, { limit: '2' });
    expect(first.titles).to.deep.equal(['Green', 'Red']);
    expect(await listed(seller, { limit: '2', cursor: first.next })).to.deep.equal({ titles: ['Blue'], next: null });
    const found = await listed(seller, { q: 'JAR', limit: '1' });
    const rest = await listed(seller, { q: 'JAR', limit: '1', cursor: found.next });
    expect([...found.titles, ...rest.titles]).to.have.members(['Blue', 'Red']);
    expect((await listed(seller, { status: 'published' })).titles).to.deep.equal([]);
    expect((await listed(await service.account())).titles).to.deep.equal([]);
    expect((await listed(await service.keyOf(seller.user, { mode: 'test' }))).titles).to.deep.equal([]);
    expect((await listed(admin, { q: `jar ${seller.keyId}` })).titles).to.have.members(['Blue', 'Red']);
  });

  it('422 for a wrong cursor, limit or status', async () => {
    for (const query of [{ cursor: 'x' }, { cursor: '1~%' }, { limit: '0' }, { limit: '101' }, { status: 'lost' }]) {
      const { status, body } = await seller.get('/api/products', query);
      expect(status).to.equal(422);
      expect(Object.keys(body.error.fields)).to.deep.equal(Object.keys(query));
    }
  });

  it('change once for a repeated request with the same Idempotency-Key', async () => {
    const path = await publish(seller);
    const again = { 'Idempotency-Key': 'archive' };
    const answers = [await seller.post(`${path}/archive`, {}, again), await seller.post(`${path}/archive`, {}, again)];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(answers[1]?.headers.get('Idempotency-Replayed')).to.equal('true');
  });
});
