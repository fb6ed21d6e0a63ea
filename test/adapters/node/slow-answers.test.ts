import { expect } from 'chai';
import { createSlowAnswers, mostSlow } from '../../../adapters/node/slow-answers.ts';
import { Forced } from '../../../core/licensing/forced.ts';
import { errorOf } from '../../support/error-of.ts';
import { keyNumber } from '../../support/license-acts.ts';

describe('slow answers', () => {
  const refused = async (pause: ReturnType<typeof createSlowAnswers>, n: number) =>
    expect(await errorOf(pause(keyNumber(n))))
      .to.be.instanceOf(Forced)
      .with.property('answer', '503');

  it('wait, but only so many at a time, of a license and of all: further ones are refused until one has ended', async () => {
    const pause = createSlowAnswers({ accepts: () => true, milliseconds: 30 });
    const waiting = Array.from({ length: mostSlow.all }, (_, n) =>
      pause(keyNumber(Math.floor(n / mostSlow.ofLicense))),
    );
    await refused(pause, 99);
    await Promise.all(waiting);
    const own = Array.from({ length: mostSlow.ofLicense }, () => pause(keyNumber(1)));
    await refused(pause, 1);
    await pause(keyNumber(2));
    await Promise.all(own);
    await pause(keyNumber(1));
  });

  it('end early when the process stops', async function () {
    this.timeout(5_000);
    let isRunning = true;
    const waiting = createSlowAnswers({ accepts: () => isRunning })(keyNumber(1));
    isRunning = false;
    await waiting;
  });
});
