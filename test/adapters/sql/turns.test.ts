import { expect } from 'chai';
import { createTurns } from '../../../adapters/sql/turns.ts';

describe('turns', () => {
  it('run one task at a time, in the order of the calls', async () => {
    const turns = createTurns();
    const log: string[] = [];
    const task = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise(setImmediate);
      log.push(`${name} ends`);
      return name.toUpperCase();
    };
    expect(await Promise.all(['a', 'b', 'c'].map((name) => turns(task(name))))).to.deep.equal(['A', 'B', 'C']);
    expect(log).to.deep.equal(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('continue after a task fails, and only its own caller gets the error', async () => {
    const turns = createTurns();
    const failing = turns(() => Promise.reject(new Error('broken')));
    const next = turns(async () => 'fine');
    expect(await failing.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('fine');
  });
});
