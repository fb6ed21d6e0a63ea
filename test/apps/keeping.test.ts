import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { keepSaving, keepWithdrawing } from '../../apps/wiring/keeping.ts';
import { until } from '../support/eventually.ts';

/** Keeps saving every 5 ms. The test ends each save. */
function makeSaver() {
  const saves: ((error?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const write = () =>
    new Promise<void>((resolve, reject) => {
      saves.push((error) => (error ? reject(error) : resolve()));
    });
  const log = { error: (fields: object) => void errors.push(fields) };
  return { saves, errors, ...keepSaving(write, log, 'not saved', 5) };
}

describe('saving again and again', () => {
  it('never runs two saves at once', async () => {
    const { saves, close } = makeSaver();
    await until(() => saves.length === 1);
    await setTimeout(30);
    expect(saves).to.have.lengthOf(1);
    saves[0]?.();
    await until(() => saves.length === 2);
    const closed = close();
    saves[1]?.();
    await until(() => saves.length === 3);
    saves[2]?.();
    await closed;
  });

  it('is closed only after it has saved what changed during the last save', async () => {
    const { saves, close } = makeSaver();
    await until(() => saves.length === 1);
    let isClosed = false;
    const closed = close().then(() => {
      isClosed = true;
    });
    saves[0]?.();
    await until(() => saves.length === 2);
    expect(isClosed).to.equal(false);
    saves[1]?.();
    await closed;
    await setTimeout(30);
    expect(saves).to.have.lengthOf(2);
  });

  it('logs the first of several failures in a row, and saves again', async () => {
    const { saves, errors, close } = makeSaver();
    for (let n = 0; n < 4; n++) {
      await until(() => saves.length === n + 1);
      saves[n]?.(n === 2 ? undefined : new Error('full'));
    }
    await until(() => saves.length === 5);
    expect(errors).to.have.lengthOf(2);
    const closed = close();
    saves[4]?.();
    await until(() => saves.length === 6);
    saves[5]?.();
    await closed;
  });
});

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
