import { expect } from 'chai';
import fc from 'fast-check';
import { healthy } from '../../../core/webhooks/endpoint.ts';
import { afterAttempts, type HealthSign, offAfter, warnAfter, warnedFor } from '../../../core/webhooks/health.ts';
import { runs } from '../../support/runs.ts';

const hour = 3_600_000;
const failure = (at: number, isFinal = false): HealthSign => ({ at, isSuccess: false, isFinal });
const success = (at: number): HealthSign => ({ at, isSuccess: true, isFinal: false });

/** Attempts in the order in which they ended. */
const history = fc
  .array(fc.record({ wait: fc.integer({ min: 0, max: 40 * hour }), isSuccess: fc.boolean(), isFinal: fc.boolean() }), {
    maxLength: 40,
  })
  .map((steps) => {
    let at = 0;
    return steps.map(({ wait, isSuccess, isFinal }): HealthSign => {
      at += wait;
      return { at, isSuccess: isSuccess && at % 3 === 0, isFinal: isFinal && !isSuccess };
    });
  });
const property = (check: (signs: HealthSign[]) => void) =>
  fc.assert(fc.property(history, check), { numRuns: runs(1_000) });

describe('the health of a webhook', () => {
  it('does not depend on which attempts are judged together, and news are told once', () => {
    property((signs) => {
      let health = healthy;
      const told: string[] = [];
      for (const sign of signs) {
        const judged = afterAttempts(health, [sign]);
        ({ health } = judged);
        told.push(...judged.news);
      }
      const together = afterAttempts(healthy, signs);
      expect(together.health).to.deep.equal(health);
      // News that a later success makes untrue are not reported, if the success is known in time.
      for (const news of together.news) expect(told).to.include(news);
      expect(together.news.filter((one) => one === 'failed')).to.have.lengthOf(
        told.filter((one) => one === 'failed').length,
      );
    });
  });

  it('is off only after five days of nothing but failures, and a day after the warning', () => {
    property((signs) => {
      let health = healthy;
      let since: number | undefined;
      let warned: number | undefined;
      for (const sign of signs) {
        const judged = afterAttempts(health, [sign]);
        ({ health } = judged);
        if (sign.isSuccess) since = warned = undefined;
        else since ??= sign.at;
        expect(health.failingSince).to.equal(since ?? null);
        if (judged.news.includes('off_soon')) {
          expect(warned).to.equal(undefined);
          expect(sign.at - (since ?? expect.fail())).to.be.at.least(warnAfter);
          warned = sign.at;
        }
        const isOff =
          since !== undefined && warned !== undefined && sign.at - since >= offAfter && sign.at - warned >= warnedFor;
        expect(judged.news.includes('off')).to.equal(isOff);
      }
    });
  });

  it('tells that a delivery has failed once until the next success', () => {
    const { health, news } = afterAttempts(healthy, [failure(1), failure(2, true), failure(3, true)]);
    expect(news).to.deep.equal(['failed']);
    expect(health).to.deep.equal({ failingSince: 1, failedAt: 2, warnedAt: null });
    expect(afterAttempts(health, [failure(4, true)]).news).to.deep.equal([]);
    expect(afterAttempts(health, [success(4)])).to.deep.equal({ health: healthy, news: [] });
    expect(afterAttempts(health, [success(4), failure(5, true)]).news).to.deep.equal(['failed']);
  });

  it('brings no warning if a success follows before it is told, but still that a delivery has failed', () => {
    const signs = [failure(0), failure(warnAfter, true), success(warnAfter + 1)];
    expect(afterAttempts(healthy, signs)).to.deep.equal({ health: healthy, news: ['failed'] });
  });

  it('is warned on the first failure after four days, and off on the first after five days and a warning', () => {
    const warned = afterAttempts(healthy, [failure(0), failure(warnAfter)]);
    expect(warned.news).to.deep.equal(['off_soon']);
    expect(afterAttempts(warned.health, [failure(offAfter - 1)]).news).to.deep.equal([]);
    expect(afterAttempts(warned.health, [failure(offAfter)]).news).to.deep.equal(['off']);
    const late = afterAttempts(healthy, [failure(0), failure(9 * offAfter)]);
    expect(late.news).to.deep.equal(['off_soon']);
  });
});
