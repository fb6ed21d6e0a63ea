import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { createMissedProofs, missedFor, mostMissed } from '../../../core/licensing/missed-proofs.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';

describe('lookups in vain', () => {
  it('are remembered for a minute, for one license and one host', () => {
    const clock = createManualClock(0);
    const missed = createMissedProofs(clock);
    missed.note(keyNumber(1), domain('a.example'));
    clock.advance(missedFor - 1);
    expect(missed.has(keyNumber(1), domain('a.example'))).to.equal(true);
    expect(missed.has(keyNumber(2), domain('a.example'))).to.equal(false);
    expect(missed.has(keyNumber(1), domain('b.example'))).to.equal(false);
    clock.advance(1);
    expect(missed.has(keyNumber(1), domain('a.example'))).to.equal(false);
  });

  it('are forgotten if there are too many, the oldest first', () => {
    const missed = createMissedProofs(createManualClock(0));
    for (let n = 0; n <= mostMissed; n++) missed.note(keyNumber(1), domain(`h${n}.example`));
    expect(missed.has(keyNumber(1), domain('h0.example'))).to.equal(false);
    expect(missed.has(keyNumber(1), domain('h1.example'))).to.equal(true);
  });
});
