import { expect } from 'chai';
import { createReplicaLag } from '../../../adapters/sql/postgres/replica-lag.ts';

describe('the lag of a replica', () => {
  it('is unknown until the replica reaches a known position of the primary', () => {
    const lag = createReplicaLag();
    lag.sampled(100, 1_000);
    lag.reached(99);
    expect(lag.isKnown()).to.equal(false);
    lag.reached(100);
    expect(lag.isKnown()).to.equal(true);
    expect(lag.lag()).to.equal(0);
  });

  it('is the time since the primary had the position of the replica', () => {
    const lag = createReplicaLag();
    for (const [position, at] of [
      [100, 1_000],
      [200, 2_000],
      [300, 4_000],
    ] as const)
      lag.sampled(position, at);
    lag.reached(250);
    expect(lag.lag()).to.equal(2_000);
    lag.reached(300);
    expect(lag.lag()).to.equal(0);
  });

  it('does not grow while nothing is written, but grows while written data does not arrive', () => {
    const lag = createReplicaLag();
    lag.sampled(100, 0);
    lag.reached(100);
    for (const at of [1_000, 2_000, 3_000]) {
      lag.sampled(100, at);
      lag.reached(100);
      expect(lag.lag()).to.equal(0);
    }
    for (const at of [4_000, 5_000, 6_000]) lag.sampled(at, at);
    lag.reached(100);
    expect(lag.lag()).to.equal(3_000);
  });

  it('is measured again from the start if a server with an earlier position becomes the primary', () => {
    const lag = createReplicaLag();
    lag.sampled(100, 0);
    lag.reached(100);
    lag.sampled(500, 1_000);
    lag.sampled(400, 2_000);
    lag.reached(400);
    expect(lag.lag()).to.equal(0);
  });

  it('is never too short, although the number of samples is limited', () => {
    const lag = createReplicaLag();
    lag.sampled(0, 0);
    lag.reached(0);
    for (let at = 1; at <= 5_000; at++) lag.sampled(at, at);
    lag.reached(1_000);
    expect(lag.lag()).to.equal(5_000);
    lag.reached(4_990);
    expect(lag.lag()).to.equal(10);
  });
});
