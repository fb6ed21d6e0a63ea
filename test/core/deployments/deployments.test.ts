import { expect } from 'chai';
import { createMemoryDatabase } from '../../../adapters/memory/database.ts';
import { createMemoryDeploymentLog } from '../../../adapters/memory/deployment-log.ts';
import { createMemoryTemplateStore } from '../../../adapters/memory/template-store.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Caller } from '../../../core/accounts/accounts.ts';
import type { KeyMode } from '../../../core/accounts/api-key.ts';
import { createDeployments, type Report } from '../../../core/deployments/deployments.ts';
import { event } from '../../../core/events/event.ts';
import { toUserId } from '../../../core/id.ts';

const caller = (id = 1, mode: KeyMode = 'live'): Caller => ({
  user: { id: toUserId(id), name: 'Ada', email: `user${id}@example.com`, tier: 'free', createdAt: 0 },
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

async function start() {
  const database = createMemoryDatabase();
  const clock = createManualClock(1000);
  const store = createMemoryTemplateStore(database);
  for (const slug of ['simple-dex', 'token']) {
    await store.add(
      {
        slug,
        title: slug,
        description: '',
        category: 'defi-dex',
        tier: 'enterprise',
        tags: [],
        parameters: [],
        createdAt: 0,
        zip: `templates/${slug}.zip`,
      },
      event('template.added', slug, { actor: 'admin' }, 0),
    );
  }
  const log = createMemoryDeploymentLog(database);
  return { database, clock, log, deployments: createDeployments(log, store, clock) };
}

describe('registering a deployment', () => {
  it('stores who deployed what and when, with the address as given', async () => {
    const { deployments, database } = await start();
    await deployments.register(caller(3), report());
    expect([...database.deployments.values()]).to.deep.equal([
      { ...report(), userId: 3, isLive: true, templateId: null, at: 1000 },
    ]);
  });

  it('stores a transaction once for each user, mode and chain, however its hash is written', async () => {
    const { deployments, database, clock } = await start();
    const upper = `0x${'A1'.repeat(32)}`;
    await Promise.all([
      deployments.register(caller(), report()),
      deployments.register(caller(), report({ txHash: upper })),
      deployments.register(caller(), report({ address: `0x${'00'.repeat(20)}` })),
    ]);
    clock.advance(1);
    await deployments.register(caller(), report());
    expect(database.deployments.size).to.equal(1);
    await deployments.register(caller(2), report());
    await deployments.register(caller(1, 'test'), report());
    await deployments.register(caller(), report({ chainId: 1 }));
    await deployments.register(caller(), report({ txHash: `0x${'a2'.repeat(32)}` }));
    expect(database.deployments.size).to.equal(5);
  });

  it('resolves the template by slug or id, whatever the tier, and keeps what was given where there is none', async () => {
    const { deployments, database } = await start();
    for (const [number, reference] of ['simple-dex', '2', 'unknown', '99'].entries()) {
      await deployments.register(caller(), report({ templateReference: reference, chainId: number + 1 }));
    }
    expect(
      [...database.deployments.values()].map(({ templateReference, templateId }) => [templateReference, templateId]),
    ).to.deep.equal([
      ['simple-dex', 1],
      ['2', 2],
      ['unknown', null],
      ['99', null],
    ]);
  });

  it('counts by chain and template, most first, live apart from test', async () => {
    const { deployments, log } = await start();
    const hash = (number: number) => `0x${String(number).padStart(64, '0')}`;
    for (let number = 0; number < 3; number++) {
      await deployments.register(caller(), report({ txHash: hash(number), templateReference: 'token' }));
    }
    await deployments.register(caller(2), report({ chainId: 1 }));
    await deployments.register(caller(1, 'test'), report({ chainId: 137 }));
    expect(await log.count({ isLive: true })).to.deep.equal([
      { chainId: 11155111, templateId: 2, count: 3 },
      { chainId: 1, templateId: null, count: 1 },
    ]);
    expect(await log.count({ isLive: false })).to.deep.equal([{ chainId: 137, templateId: null, count: 1 }]);
  });
});
