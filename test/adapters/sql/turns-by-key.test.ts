import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createTurnsByKey } from '../../../adapters/sql/turns-by-key.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { deferred } from '../../support/deferred.ts';
import { keyNumber } from '../../support/license-acts.ts';

const [one, other] = [keyNumber(1), keyNumber(2)];

describe('the turns of changes of one license', () => {
  const thrown = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('run one after the other, in order, and do not delay changes of other licenses', async () => {
    const inTurn = createTurnsByKey<string>('license');
    const began: string[] = [];
    const first = deferred();
    const all = ['a', 'b', 'c'].map((name) =>
      inTurn(one, async () => {
        began.push(name);
        await first.promise;
      }),
    );
    await inTurn(other, async () => void began.push('other'));
    expect(began).to.deep.equal(['a', 'other']);
    first.resolve();
    await Promise.all(all);
    expect(began).to.deep.equal(['a', 'other', 'b', 'c']);
  });

  it('all fail immediately if the first fails with an outage; a later change tries again', async () => {
    const inTurn = createTurnsByKey<string>('license');
    const first = deferred();
    let tried = 0;
    const attempt = () =>
      thrown(
        inTurn(one, async () => {
          tried += 1;
          await first.promise;
        }),
      );
    const all = Array.from({ length: 50 }, attempt);
    await nextTurn();
    first.reject(new Unavailable('Somebody holds it.'));
    for (const error of await Promise.all(all)) expect(error).to.be.instanceOf(Unavailable);
    expect(tried).to.equal(1);
    expect(await inTurn(one, async () => 'done')).to.equal('done');
  });

  it('continue after one of them fails with an error that is not an outage', async () => {
    const inTurn = createTurnsByKey<string>('license');
    const fault = new Error('A fault of its own.');
    const all = [inTurn(one, () => Promise.reject(fault)), inTurn(one, async () => 'done')];
    expect(await Promise.all(all.map((work) => work.catch((error: unknown) => error)))).to.deep.equal([fault, 'done']);
  });

  it('are refused immediately if too many are already waiting', async () => {
    const inTurn = createTurnsByKey<string>('license');
    const first = deferred();
    const all = Array.from({ length: 1_002 }, () => thrown(inTurn(one, () => first.promise)));
    expect(await all[1_001]).to.be.instanceOf(Unavailable);
    first.resolve();
    expect((await Promise.all(all)).filter((error) => error !== undefined)).to.have.length(1);
  });
});
