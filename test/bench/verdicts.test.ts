import { expect } from 'chai';
import { isExact } from './exactness.ts';
import { judgementOf } from './report.ts';
import type { Measured, Series } from './rounds.ts';
import { bare } from './verifications.ts';

describe('verdicts of the bench', () => {
  const exact = { database: 'any', received: 1_000, due: 900, inFlight: 64, answered: 1_030, valid: 925, counted: 925 };

  it('are exact if every answer was counted, except requests in flight', () => {
    expect(isExact(exact)).equal(true);
  });

  for (const [what, change] of Object.entries({
    'a valid answer that was not counted': { counted: 924 },
    'a count without an answer': { counted: 926 },
    'an answer that no server has counted': { answered: 999 },
    'more answers than requests': { answered: 1_065 },
    'refusals of valid requests': { valid: 800, counted: 800 },
  })) {
    it(`are not exact with ${what}`, () => {
      expect(isExact({ ...exact, ...change })).equal(false);
    });
  }

  function judgedWith(some: Partial<Series>): string {
    const none = { main: [], whole: [], database: [], others: [], waits: [], interruptions: [] };
    const series = { rate: [1], p50: [1], p99: [1], rss: [1], busy: [0.2], ...none, ...some };
    const measured: Measured = { series, answers: 1, due: 1, inFlight: 0, wrong: [] };
    const goals = [{ what: 'a figure', value: 0.6, must: 0.5, aim: 0.7, isFloor: true }];
    return judgementOf(goals, new Map([[bare, measured]]), true);
  }

  it('are not given if others took more than a tenth of the time in most rounds', () => {
    expect(judgedWith({ others: [0.02, 0.03, 0.5] }))
      .include('reached')
      .not.include('no verdict');
    expect(judgedWith({ others: [0.02, 0.12, 0.5] })).include("no verdict: others took 12 % of the processors' time");
  });

  for (const [busy, told] of [
    [0.69, 'reached'],
    [0.83, 'no verdict: the load generator was at 83 % of a core'],
  ] as const) {
    it(`say “${told}” if the load generator used ${busy * 100} % of a core`, () => {
      const lines = judgedWith({ busy: [0.2, busy] });
      expect(lines).include(told);
      expect(lines.includes('no verdict')).equal(busy > 0.7);
    });
  }
});
