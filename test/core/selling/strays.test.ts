import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { License } from '../../../core/licensing/license.ts';
import { createStrayCounter } from '../../../core/licensing/stray-counter.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import { recordStrays } from '../../../core/selling/record-strays.ts';
import { keyNumber, issuedAt as now } from '../../support/license-acts.ts';

describe('storing strays', () => {
  const clock = createManualClock(now);
  const key = keyNumber(1);
  const license = { key, ownerId: null, isLive: true } as License;

  it('takes some thousand runs a day from one network, and those of others', async () => {
    const counter = createStrayCounter();
    const stored: string[] = [];
    const ports = {
      ...{ counter, clock, limiter: createMemoryRateLimiter(clock), registrableDomain: (host: string) => host },
      licenses: { findAll: async () => [{ license, domains: [] }] },
      aliases: { find: async () => undefined },
      accounts: { findById: async () => undefined, list: async () => [] },
      strays: {
        change: async (
          _: string,
          __: number,
          decide: Parameters<Parameters<typeof recordStrays>[0]['strays']['change']>[2],
        ) => {
          const product = { title: '', hosts: defaultTerms.hosts };
          const change = decide({ license, product, strays: [], suspectedAt: null });
          stored.push(...(change?.strays ?? []).map(({ domain }) => domain));
        },
      },
      write: () => ({ subject: '', text: '', html: '' }),
    };
    const store = async (host: string, network: string) => {
      counter.note(key, host, network, now);
      await recordStrays(ports, () => true);
    };
    for (let n = 0; n < 2_010; n++) await store('loud.example', 'loud');
    await store('quiet.example', 'quiet');
    expect(stored.filter((domain) => domain === 'loud.example')).to.have.length(2_000);
    expect(stored.at(-1)).to.equal('quiet.example');
  });
});
