import { expect } from 'chai';
import { changesOf } from './changes.ts';
import { changesTableOf } from './report.ts';

describe('changes of costs between two versions', () => {
  const bare = { name: 'bare route', main: 50, bare: 50 };
  const cost = (main: number, others = 0) => ({
    name: 'a call',
    main,
    bare: 50,
    noise: { others, waits: 0, interruptions: 0 },
  });
  const verdicts = (before: number, now: number, others?: number) =>
    changesOf([bare, cost(before)], [bare, cost(now, others)]).map(({ verdict }) => verdict);

  it('are told from a fifth on', () => {
    expect(verdicts(100, 119)).to.deep.equal(['as before']);
    expect(verdicts(100, 120)).to.deep.equal(['SLOWER']);
    expect(verdicts(120, 101)).to.deep.equal(['as before']);
    expect(verdicts(120, 100)).to.deep.equal(['faster']);
  });

  it('are in proportion to the bare route, so that another machine is no change', () => {
    const slow = { name: 'a call', main: 200, bare: 100 };
    expect(changesOf([cost(100)], [slow]).map(({ verdict }) => verdict)).to.deep.equal(['as before']);
  });

  it('have no verdict on a noisy machine, and none for calls of one version only', () => {
    expect(verdicts(100, 300, 0.2)).to.deep.equal(['noisy']);
    expect(changesOf([{ ...cost(1), name: 'former' }], [cost(1)])).to.deep.equal([]);
  });

  it('are a table', () => {
    expect(changesTableOf(changesOf([cost(100)], [cost(150)]))).to.match(/^\| a call .* SLOWER \|$/m);
  });
});
