import { expect } from 'chai';
import { writeDeployments } from '../../../adapters/csv/deployment-sheet.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Caller } from '../../../core/accounts/accounts.ts';
import type { KeyMode } from '../../../core/accounts/api-key.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { createDeployments, type Report } from '../../../core/deployments/deployments.ts';
import { toUserId } from '../../../core/id.ts';
import { addTemplate, addUser } from '../../support/backends.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';

const caller = (id = 1, mode: KeyMode = 'live'): Caller => ({
  user: { ...plainUser, id: toUserId(id), name: 'Ada', email: `user${id}@example.com`, tier: 'free', createdAt: 0 },
  mode,
});

const report = (more: Partial<Report> = {}): Report => ({
  chain: 'sepolia',
  chainId: 11155111,
  address: `0x${'5F'.repeat(20)}`,
  txHash: `0x${'a1'.repeat(32)}`,
  templateReference: null,
  ...more,
});

describe('registering a deployment', () => {
  let stores: StoresInMemory;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    for (const name of ['Ada', 'Bob', 'Cleo']) await addUser(stores, name);
    for (const slug of ['simple-dex', 'token']) await addTemplate(stores, slug, { tier: 'enterprise' });
  });
  afterEach(() => stores.close());

  function start() {
    const clock = createManualClock(1000);
    const chains = { get: () => undefined };
    return {
      clock,
      deployments: createDeployments({
        ...{
          log: stores.deployments,
          checks: stores.checks,
          templates: stores.templates,
          chains,
          clock,
          writeSheet: writeDeployments,
        },
      }),
    };
  }

  it('stores the user, the deployment and the time, and keeps the spelling of the address', async () => {
    const { deployments } = start();
    await deployments.register(caller(3), report());
    expect(await stores.rows('deployments')).to.deep.equal([
      {
        id: 1,
        user_id: 3,
        is_live: 1,
        chain: 'sepolia',
        chain_id: 11155111,
        address: `0x${'5F'.repeat(20)}`,
        tx_hash: `0x${'a1'.repeat(32)}`,
        template_reference: null,
        template_id: null,
        at: 1000,
        ...{ state: 'no_rpc', check_from: null, checked_at: null, block: null, created_at: null },
        ...{ code_hash: null, release_product_id: null, release_version: null, counted: 0, counted_chain: null },
      },
    ]);
  });

  it('stores each contract of a transaction once for each user, mode and chain, in upper or lower case', async () => {
    const { deployments, clock } = start();
    const upper = `0x${'A1'.repeat(32)}`;
    await Promise.all([
      deployments.register(caller(), report()),
      deployments.register(caller(), report({ txHash: upper })),
      deployments.register(caller(), report({ address: `0x${'5f'.repeat(20)}` })),
    ]);
    clock.advance(1);
    await deployments.register(caller(), report());
    expect(await stores.rows('deployments')).to.have.length(1);
    await deployments.register(caller(2), report());
    await deployments.register(caller(1, 'test'), report());
    await deployments.register(caller(), report({ chainId: 1 }));
    await deployments.register(caller(), report({ txHash: `0x${'a2'.repeat(32)}` }));
    // A factory makes several in one transaction.
    await deployments.register(caller(), report({ address: `0x${'00'.repeat(20)}` }));
    expect(await stores.rows('deployments')).to.have.length(6);
  });

  it('finds the template by slug or id for every tier, and keeps the given text if there is no such template', async () => {
    const { deployments } = start();
    for (const [number, reference] of ['simple-dex', '2', 'unknown', '99'].entries()) {
      await deployments.register(caller(), report({ templateReference: reference, chainId: number + 1 }));
    }
    const stored = await stores.rows('deployments');
    expect(stored.map(({ template_reference, template_id }) => [template_reference, template_id])).to.deep.equal([
      ['simple-dex', 1],
      ['2', 2],
      ['unknown', null],
      ['99', null],
    ]);
  });

  it('counts by chain and template, highest counts first, and separates live from test', async () => {
    const { deployments } = start();
    const hash = (number: number) => `0x${String(number).padStart(64, '0')}`;
    for (let number = 0; number < 3; number++) {
      await deployments.register(caller(), report({ txHash: hash(number), templateReference: 'token' }));
    }
    await deployments.register(caller(2), report({ chainId: 1 }));
    await deployments.register(caller(1, 'test'), report({ chainId: 137 }));
    expect(await stores.deployments.count({ isLive: true })).to.deep.equal([
      { chainId: 11155111, templateId: 2, count: 3 },
      { chainId: 1, templateId: null, count: 1 },
    ]);
    expect(await stores.deployments.count({ isLive: false })).to.deep.equal([
      { chainId: 137, templateId: null, count: 1 },
    ]);
  });
});
