import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { keepWithdrawing } from '../../apps/wiring/keep-withdrawing.ts';
import { until } from '../support/eventually.ts';

describe('failed withdrawals', () => {
  it('are tried again until the process stops', async () => {
    let tries = 0;
    const again = async () => void tries++;
    const withdrawals = keepWithdrawing({ takeBack: async () => undefined, again }, 5);
    await until(() => tries > 3);
    withdrawals.close();
    const tried = tries;
    await setTimeout(50);
    expect(tries).to.equal(tried);
  });
});
