import { expect } from 'chai';
import { createSlowAnswers, mostSlow } from '../../../adapters/node/slow-answers.ts';
import { Forced } from '../../../core/licensing/forced.ts';
import { errorOf } from '../../support/error-of.ts';

describe('slow answers', () => {
  it('wait, but only so many at a time: further ones are refused until one of them has ended', async () => {
    const pause = createSlowAnswers(20);
    const waiting = Array.from({ length: mostSlow }, () => pause());
    expect(await errorOf(pause()))
      .to.be.instanceOf(Forced)
      .with.property('answer', '503');
    await Promise.all(waiting);
    await pause();
  });
});
