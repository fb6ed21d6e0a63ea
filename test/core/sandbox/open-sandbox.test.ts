import { expect } from 'chai';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { createQueue } from '../../../adapters/queue.ts';
import { createOpenSandbox } from '../../../core/sandbox/open-sandbox.ts';
import { sandboxesFilled } from '../../../core/sandbox/sandbox.ts';

describe('opening many sandboxes at the same time', () => {
  it('fills two at a time, lets ten wait, and adds no account for more', async () => {
    let added = 0;
    let filling = 0;
    let most = 0;
    const end = new Error('The test ends here.');
    const open = createOpenSandbox({
      clock: { now: () => 1 },
      secrets: systemSecrets,
      limiter: { count: async () => ({ allowed: true, windows: [] }) },
      store: { count: async () => added, add: async () => ({ id: ++added }) },
      async fill() {
        most = Math.max(most, ++filling);
        for (let turns = 0; turns < 9; turns++) await undefined;
        filling -= 1;
        throw end;
      },
      inTurn: createQueue(sandboxesFilled),
      networkOf: (address: string) => address,
    } as unknown as Parameters<typeof createOpenSandbox>[0]);
    const opened = await Promise.all(
      Array.from({ length: 30 }, () => open({ address: 'a', browser: '' }).catch((error: unknown) => error)),
    );
    expect(opened.filter((one) => one === end)).to.have.lengthOf(12);
    const refused = opened.filter((one) => one !== end);
    expect(refused).to.have.lengthOf(18);
    for (const one of refused) expect(one).to.deep.include({ reason: 'sandbox_full', figures: { retry_after: 60 } });
    expect([added, most]).to.deep.equal([12, 2]);
  });
});
