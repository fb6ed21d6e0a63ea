import { expect } from 'chai';
import { createIdleProcessors, lookEvery, restAfter } from '../../../adapters/sql/usage/idle-processors.ts';
import { itLong } from '../../support/required-service.ts';

describe('idle processors', () => {
  it('are measured over all processors, since the last look', () => {
    let now = 0;
    let processors = [timesOf(100, 100), timesOf(100, 100)];
    const idle = createIdleProcessors(
      () => processors,
      () => now,
    );
    expect(idle(), 'before the second look').to.equal(1);
    processors = [timesOf(100, 400), timesOf(200, 100)];
    now += lookEvery - 1;
    expect(idle(), 'too early').to.equal(1);
    now += 1;
    expect(idle()).to.equal(0.25);
    processors = [timesOf(200, 400), timesOf(300, 100)];
    now += lookEvery;
    expect(idle()).to.equal(1);
    now += lookEvery;
    expect(idle(), 'if the system has not counted on').to.equal(1);
  });

  itLong('are those of this machine: a share between 0 and 1', () => {
    const began = performance.now();
    const idle = createIdleProcessors();
    while (performance.now() - began < lookEvery + 20) Math.sqrt(began);
    expect(idle()).to.be.within(0, 1);
  });

  it('decide about rests: longer if they are busy, and never shorter than the work', () => {
    expect(restAfter(10, 1)).to.equal(34);
    expect(restAfter(10, 0.3)).to.equal(34);
    expect(restAfter(10, 0.29)).to.equal(190);
    expect(restAfter(500, 1)).to.equal(500);
    expect(restAfter(500, 0)).to.equal(500);
  });
});

function timesOf(idle: number, busy: number) {
  return { times: { idle, user: busy, sys: 0, nice: 0, irq: 0 } };
}
