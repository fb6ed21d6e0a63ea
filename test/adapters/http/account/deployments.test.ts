import { expect } from 'chai';
import fc from 'fast-check';
import { tierNames } from '../../../../core/accounts/tier.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { type AccountService, startAccountService } from './account-service.ts';

const preflightPath = '/api/deploy/preflight';
const registerPath = '/api/deploy/register';
const mainnets = [1, 42161, 8453, 137, 10];
const testnets = [11155111, 84532, 80002, 421614, 31337, 2, Number.MAX_SAFE_INTEGER];

const record = (more: object = {}) => ({
  chain: 'sepolia',
  chain_id: 11155111,
  address: `0x${'5F'.repeat(20)}`,
  tx_hash: `0x${'a1'.repeat(32)}`,
  ...more,
});

describe('POST /api/deploy/preflight', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());

  for (const tier of tierNames) {
    for (const chain_id of mainnets) {
      const blocked = tier === 'free';
      it(`200 ${blocked ? 'blocked' : 'allowed'} for chain ${chain_id} on ${tier}`, async () => {
        const account = await service.account(tier);
        const answer = await account.post(preflightPath, { chain: 'a chain', chain_id });
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('cache-control')).to.equal('no-store');
        if (!blocked) {
          expect(answer.body).to.deep.equal({ allowed: true });
          return;
        }
        expect(answer.body).to.have.all.keys('allowed', 'reason', 'tier_required');
        expect(answer.body).to.include({ allowed: false, tier_required: 'pro' });
        expect(answer.body.reason).to.match(/\bpro\b/);
        expect(answer.body.reason).to.include(String(chain_id));
      });
    }

    it(`200 allowed for every other chain on ${tier}`, async () => {
      const account = await service.account(tier);
      for (const chain_id of testnets) {
        const answer = await account.post(preflightPath, { chain_id });
        expect(answer.status, String(chain_id)).to.equal(200);
        expect(answer.body, String(chain_id)).to.deep.equal({ allowed: true });
      }
    });
  }

  it('depends on the chain id only, not on the name of the chain', async () => {
    const account = await service.account('free');
    expect((await account.post(preflightPath, { chain: 'sepolia', chain_id: 1 })).body.allowed).to.equal(false);
    expect((await account.post(preflightPath, { chain: 'ethereum', chain_id: 5 })).body.allowed).to.equal(true);
  });

  it('gives a test key the same answer, and stores nothing', async () => {
    const { user } = await service.account('free');
    const test = await service.keyOf(user, { mode: 'test' });
    expect((await test.post(preflightPath, { chain_id: 137 })).body.allowed).to.equal(false);
    expect(await service.rows('deployments')).to.deep.equal([]);
  });

  itLong(
    '422 naming the field if the chain id is missing or not a positive integer, or the chain is not a valid text',
    async () => {
      const account = await service.account('pro');
      for (const chain_id of [undefined, null, '1', 0, -1, 1.5, 2 ** 53, [1], {}, true, '0x1']) {
        const answer = await account.post(preflightPath, { chain: 'x', chain_id });
        expect(answer.status, JSON.stringify(chain_id)).to.equal(422);
        expect(answer.body.error.code).to.equal('VALIDATION_ERROR');
        expect(answer.body.error.fields, JSON.stringify(chain_id)).to.have.all.keys('chain_id');
      }
      for (const chain of ['', ' ', 'x'.repeat(101), 1, [], {}]) {
        const answer = await account.post(preflightPath, { chain, chain_id: 'x' });
        expect(answer.status, JSON.stringify(chain)).to.equal(422);
        expect(answer.body.error.fields, JSON.stringify(chain)).to.have.all.keys('chain', 'chain_id');
      }
    },
  );
});

describe('POST /api/deploy/register', () => {
  let service: AccountService;
  beforeEach(async () => {
    service = await startAccountService();
  });
  afterEach(() => service.close());
  const stored = () => service.rows('deployments');

  itLong('200 for every tier and chain, because the deployment has already happened', async () => {
    for (const tier of tierNames) {
      const account = await service.account(tier);
      for (const chain_id of [1, 11155111]) {
        const answer = await account.post(registerPath, record({ chain_id }));
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({ success: true });
      }
    }
    expect(await stored()).to.have.length(6);
  });

  itLong('200 and stores the report, with the template that it names', async () => {
    const account = await service.account();
    const template = await service.template({ slug: 'simple-dex', tier: 'enterprise' });
    await account.post(registerPath, record({ template_id: 'simple-dex' }));
    expect(await stored()).to.deep.equal([
      {
        id: 1,
        user_id: account.user.id,
        is_live: 1,
        chain: 'sepolia',
        chain_id: 11155111,
        address: `0x${'5F'.repeat(20)}`,
        tx_hash: `0x${'a1'.repeat(32)}`,
        template_reference: 'simple-dex',
        template_id: template.id,
        at: service.clock.now(),
        ...{ state: 'no_rpc', check_from: null, checked_at: null, block: null, created_at: null },
        ...{ code_hash: null, release_product_id: null, release_version: null },
        ...{ counted: 0, counted_chain: null },
      },
    ]);
  });

  itLong('200 without a template, with null, and with an unknown template', async () => {
    const account = await service.account();
    for (const [index, template_id] of [undefined, null, 'unknown', '77'].entries()) {
      const answer = await account.post(registerPath, record({ template_id, chain_id: index + 1 }));
      expect(answer.status).to.equal(200);
    }
    expect(
      (await stored()).map(({ template_reference, template_id }) => [template_reference, template_id]),
    ).to.deep.equal([
      [null, null],
      [null, null],
      ['unknown', null],
      ['77', null],
    ]);
  });

  itLong('200 for the same transaction again, and stores it once, even if the calls are concurrent', async () => {
    const account = await service.account();
    const upper = { tx_hash: `0x${'A1'.repeat(32)}` };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => account.post(registerPath, record(index % 2 ? upper : {}))),
    );
    for (const { status, body } of answers) expect([status, body]).to.deep.equal([200, { success: true }]);
    expect(await stored()).to.have.length(1);
  });

  itLong('200 and stores each contract of a transaction once, however its address is spelled', async () => {
    const account = await service.account();
    for (const address of ['5F', '5f', '6a', '6A', '7b']) {
      const answer = await account.post(registerPath, record({ address: `0x${address.repeat(20)}` }));
      expect([answer.status, answer.body]).to.deep.equal([200, { success: true }]);
    }
    const addresses = (await stored()).map(({ address }) => address);
    expect(addresses).to.deep.equal(['5F', '6a', '7b'].map((address) => `0x${address.repeat(20)}`));
  });

  itLong('200 and stores the same transaction once for each user, mode and chain', async () => {
    const account = await service.account();
    const other = await service.account();
    const test = await service.keyOf(account.user, { mode: 'test' });
    for (const one of [account, other, test]) await one.post(registerPath, record());
    await account.post(registerPath, record({ chain_id: 1 }));
    expect((await stored()).map(({ user_id, is_live, chain_id }) => [user_id, is_live, chain_id])).to.deep.equal([
      [1, 1, 11155111],
      [2, 1, 11155111],
      [1, 0, 11155111],
      [1, 1, 1],
    ]);
  });

  itLong('422 naming every field that is wrong, and stores nothing', async () => {
    const account = await service.account();
    const hash = `0x${'a1'.repeat(32)}`;
    const wrong: readonly (readonly [field: string, values: readonly unknown[]])[] = [
      ['chain', [undefined, null, '', ' ', 5, 'x'.repeat(101)]],
      ['chain_id', [undefined, null, '1', 0, -1, 0.5]],
      ['address', [undefined, '', '0x', hash, `0x${'5f'.repeat(19)}`, '5f'.repeat(20), `0x${'5g'.repeat(20)}`, 5]],
      [
        'tx_hash',
        [undefined, '', `0x${'a1'.repeat(31)}`, `${hash}\n`, ` ${hash}`, `0X${'a1'.repeat(32)}`, 'a1'.repeat(32)],
      ],
      ['template_id', ['', ' ', 5, 'x'.repeat(201), {}]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const answer = await account.post(registerPath, record({ [field]: value }));
        expect(answer.status, `${field} ${JSON.stringify(value)}`).to.equal(422);
        expect(answer.body.error.fields, `${field} ${JSON.stringify(value)}`).to.have.all.keys(field);
      }
    }
    const nothing = await account.post(registerPath, {});
    expect(nothing.body.error.fields).to.have.all.keys('chain', 'chain_id', 'address', 'tx_hash');
    expect(await stored()).to.deep.equal([]);
  });

  for (const path of [preflightPath, registerPath]) {
    itLong(`400 BAD_REQUEST on ${path} for a body that is not a JSON object`, async () => {
      const account = await service.account();
      for (const body of ['{"chain_id":', '[1]', 'null', '"x"', '1', '{"chain_id":1}x', '\ufeff{}x']) {
        const answer = await account.post(path, body);
        expect(answer.status, body).to.equal(400);
        expect(answer.body.error, body).to.have.all.keys('code', 'message');
        expect(answer.body.error.code, body).to.equal('BAD_REQUEST');
      }
    });

    it(`413 PAYLOAD_TOO_LARGE on ${path} over 64 KiB`, async () => {
      const account = await service.account();
      const answer = await account.post(path, record({ chain: 'x'.repeat(65_536) }));
      expect(answer.status).to.equal(413);
      expect(answer.body.error.code).to.equal('PAYLOAD_TOO_LARGE');
    });

    itLong(`415 UNSUPPORTED_MEDIA_TYPE on ${path} for every body that is not JSON`, async () => {
      const account = await service.account();
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await account.post(path, JSON.stringify(record()), { 'Content-Type': type });
        expect(answer.status, type).to.equal(415);
        expect(answer.body.error.code, type).to.equal('UNSUPPORTED_MEDIA_TYPE');
      }
      expect(await stored()).to.deep.equal([]);
    });

    itLong(`200 or 4xx on ${path}, never 500, for any JSON`, async () => {
      const account = await service.account();
      const field = fc.oneof(fc.constantFrom('chain', 'chain_id', 'address', 'tx_hash', 'template_id'), fc.string());
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(1, `0x${'5f'.repeat(20)}`, `0x${'a1'.repeat(32)}`),
      );
      await fc.assert(
        fc.asyncProperty(fc.dictionary(field, value), async (body) => {
          const { status } = await account.post(path, JSON.stringify(body));
          expect([200, 400, 422]).to.include(status);
        }),
        { numRuns: runs(60) },
      );
      for (const body of ['{"__proto__":{"chain_id":1}}', '{"constructor":1,"chain_id":1e999}', '{"toString":{}}']) {
        expect((await account.post(path, body)).status, body).to.be.within(400, 422);
      }
    });
  }
});

describe('GET /api/deployments', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService({ CHAINS: '11155111:http://127.0.0.1:1' });
  });
  after(() => service.close());
  const hash = (n: number) => `0x${String(n).padStart(64, '0')}`;

  itLong('200 with the reports of the account and the mode of the key, the last first, in pages', async () => {
    const account = await service.account();
    const test = await service.keyOf(account.user, { mode: 'test' });
    const other = await service.account();
    for (const one of [account, test, other]) await one.post(registerPath, record({ tx_hash: hash(9) }));
    const template = await service.template({ slug: 'listed-dex' });
    service.clock.advance(1_000);
    await account.post(registerPath, record({ tx_hash: hash(1), chain_id: 8453, template_id: 'listed-dex' }));
    const first = await account.send('/api/deployments?limit=1');
    expect(first.status, first.text).to.equal(200);
    const address = `0x${'5F'.repeat(20)}`;
    expect(first.body.data).to.deep.equal([
      {
        id: first.body.data[0].id,
        ...{ livemode: true, chain: 'sepolia', chain_id: 8453, address, tx_hash: hash(1) },
        ...{ template_id: template.id, state: 'no_rpc', reported_at: new Date(service.clock.now()).toISOString() },
        ...{ checked_at: null, block: null, created_at: null, code_hash: null, version: null },
        explorer_url: `https://basescan.org/address/${address}`,
      },
    ]);
    const { body } = await account.send(`/api/deployments?limit=1&cursor=${first.body.next_cursor}`);
    expect(body.data).to.have.length(1);
    expect(body.data[0]).to.include({ tx_hash: hash(9), state: 'unchecked', chain_id: 11_155_111 });
    expect(body.next_cursor).to.equal(null);
    for (const [one, count] of [
      [test, 1],
      [other, 1],
      [account, 2],
    ] as const)
      expect((await one.get('/api/deployments')).body.data).to.have.length(count);
  });

  itLong('200 with those of a chain, a template, a state and a day', async () => {
    const account = await service.account();
    await service.template({ slug: 'found-dex' });
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    await account.post(registerPath, record({ tx_hash: hash(1), template_id: 'found-dex' }));
    await account.post(registerPath, record({ tx_hash: hash(2), chain_id: 1 }));
    const found = async (query: string) => {
      const { status, body, text } = await account.send(`/api/deployments?${query}`);
      expect(status, text).to.equal(200);
      return body.data.map(({ tx_hash }: { tx_hash: string }) => Number(tx_hash.slice(2)));
    };
    expect(await found('chain_id=1')).to.deep.equal([2]);
    expect(await found('template=found-dex')).to.deep.equal([1]);
    expect(await found('template=unknown')).to.deep.equal([]);
    expect(await found('state=unchecked')).to.deep.equal([1]);
    expect(await found('state=no_rpc&chain_id=1')).to.deep.equal([2]);
    expect(await found('state=confirmed')).to.deep.equal([]);
    expect(await found(`day=${today}`)).to.deep.equal([2, 1]);
    expect(await found('day=2020-01-01')).to.deep.equal([]);
    expect(await found(`tx_hash=${hash(1)}`)).to.deep.equal([1]);
    expect(await found(`tx_hash=${hash(3)},${hash(2)}`)).to.deep.equal([2]);
    await account.post(registerPath, record({ tx_hash: `0x${'0A'.repeat(32)}` }));
    expect(await found(`tx_hash=0x${'0a'.repeat(32)}`)).to.have.length(1);
  });

  itLong('200 with the whole list as a file', async () => {
    const account = await service.account();
    for (let n = 1; n <= 101; n++)
      await account.post(registerPath, record({ tx_hash: hash(n), chain_id: 1 + (n % 2) }));
    const lines = async (query: string) => {
      const { status, text, headers } = await account.send(`/api/deployments/export${query}`);
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/csv; charset=utf-8']);
      return text.trim().split('\r\n');
    };
    const [head, first, ...more] = await lines('');
    expect(head).to.match(/^id,chain,chain_id,address,tx_hash,/);
    expect(first).to.include(hash(101));
    expect(more).to.have.length(100);
    expect(await lines('?chain_id=1')).to.have.length(51);
    expect(await lines('?template=unknown')).to.have.length(1);
  });

  itLong('422 naming the parameter that is wrong', async () => {
    const account = await service.account();
    for (const [field, value] of [
      ['chain_id', '0'],
      ['chain_id', 'x'],
      ['chain_id', '9'.repeat(16)],
      ['state', 'done'],
      ['day', '2026-13-01'],
      ['day', 'today'],
      ['cursor', '5'],
      ['cursor', 'x-y'],
      ['limit', '0'],
      ['template', ''],
      ['tx_hash', hash(1).slice(1)],
      ['tx_hash', `${hash(1)},`],
      ['tx_hash', Array.from({ length: 21 }, (_, n) => hash(n)).join(',')],
    ]) {
      const answer = await account.send(`/api/deployments?${field}=${value}`);
      expect(answer.status, `${field}=${value}`).to.equal(422);
      expect(answer.body.error.fields, `${field}=${value}`).to.have.all.keys(String(field));
    }
  });

  it('403 without the scope, and 401 without a key', async () => {
    const { user } = await service.account();
    const limited = await service.keyOf(user, { scopes: ['templates:read'] });
    expect((await limited.get('/api/deployments')).status).to.equal(403);
    expect((await service.send('/api/deployments')).status).to.equal(401);
  });
});
