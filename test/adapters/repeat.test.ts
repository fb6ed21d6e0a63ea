import { expect } from 'chai';
import { repeat } from '../../adapters/repeat.ts';
import { eventually } from '../support/eventually.ts';

/** Creates a job whose runs end when the test ends them. */
function makeJob() {
  const runs: { end(): void }[] = [];
  const job = () => new Promise<void>((end) => runs.push({ end }));
  return { job, runs };
}

/** Resolves after `count` timers of one millisecond. */
function ticks(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
}

describe('a job that is repeated', () => {
  it('never runs twice at the same time, and runs again after its interval', async () => {
    const { job, runs } = makeJob();
    const repeated = repeat(job, 1);
    repeated.now();
    await ticks(5);
    repeated.now();
    expect(runs).to.have.lengthOf(1);
    runs[0]?.end();
    await eventually('a second run', () => runs.length === 2);
    runs[1]?.end();
    await repeated.stop();
  });

  it('stops after the current run has ended, and starts no other run', async () => {
    const { job, runs } = makeJob();
    const repeated = repeat(job, 1);
    repeated.now();
    let isStopped = false;
    const stopped = repeated.stop().then(() => {
      isStopped = true;
    });
    await ticks(5);
    expect({ isStopped, runs: runs.length }).to.deep.equal({ isStopped: false, runs: 1 });
    runs[0]?.end();
    await stopped;
    await ticks(5);
    expect(runs).to.have.lengthOf(1);
  });
});
