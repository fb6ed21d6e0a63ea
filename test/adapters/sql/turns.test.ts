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

  it('let a task that goes first pass all that wait, but not twice in a row', async () => {
    const turns = createTurns();
    const log: string[] = [];
    const task = (name: string, place?: 'first') => turns(async () => void log.push(name), place);
    await Promise.all([
      task('running'),
      ...['a', 'b', 'c'].map((name) => task(name)),
      ...['count 1', 'count 2', 'count 3', 'count 4', 'count 5'].map((name) => task(name, 'first')),
    ]);
    const fair = ['count 1', 'a', 'count 2', 'b', 'count 3', 'c', 'count 4', 'count 5'];
    expect(log).to.deep.equal(['running', ...fair]);
  });

  it('let a task that goes first pass those that wait after it failed too', async () => {
    const turns = createTurns();
    const log: string[] = [];
    const failing = turns(() => Promise.reject(new Error('broken')), 'first');
    const others = ['a', 'b'].map((name) => turns(async () => void log.push(name)));
    const count = turns(async () => void log.push('count'), 'first');
    await Promise.allSettled([failing, ...others, count]);
    expect(log).to.deep.equal(['a', 'count', 'b']);
  });
});
