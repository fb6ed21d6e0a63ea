import { expect } from 'chai';
import { parseEnded, parseProcessors, parseSwitches, watchNoise } from './noise.ts';
import { isTimeKnown } from './processor-time.ts';

describe('noise of the bench', () => {
  it('reads the times of all processors, without interrupts, and what other machines took', () => {
    const text = 'cpu  334974 115 70998 225963 3310 7 4633 670 20 0\ncpu0 165439 41 34186 117447 891 0 1999 319 0 0\n';
    expect(parseProcessors(text)).deep.equal({ busy: 4_060_870_000, stolen: 6_700_000 });
  });

  it('reads systems that tell no stolen time', () => {
    expect(parseProcessors('cpu 1 2 3 4\n')).deep.equal({ busy: 60_000, stolen: 0 });
  });

  it('refuses another text', () => {
    expect(() => parseProcessors('cpu0 1 2 3 4\n')).throw('Not the text of /proc/stat');
    expect(() => parseProcessors('')).throw('Not the text of /proc/stat');
    expect(() => parseEnded('12 (node) S 1')).throw('Not the text of /proc/<pid>/stat');
  });

  it('reads the time of the children that have ended, whatever the process is called', () => {
    const text = (name: string) => `4242 (${name}) S 1 4242 4242 0 -1 4194560 1 2 3 4 11 12 130 14 20 0 11 0 1 2 3`;
    for (const name of ['node', 'a b', 'x) S 9 (y']) expect(parseEnded(text(name))).equal(1_440_000);
  });

  it('reads how often a thread waited and was interrupted', () => {
    const text = 'Name:\tnode\nThreads:\t11\nvoluntary_ctxt_switches:\t1500\nnonvoluntary_ctxt_switches:\t42\n';
    expect(parseSwitches(text)).deep.equal({ waits: 1500, interruptions: 42 });
    expect(parseSwitches('Name:\tnode\n')).deep.equal({ waits: 0, interruptions: 0 });
  });

  it('tells shares of the time since it began to watch', function () {
    if (!isTimeKnown) this.skip();
    const tell = watchNoise([process.pid], () => []);
    const noise = tell(1);
    expect(noise?.others).at.least(0);
    expect(noise?.waits).at.least(0);
    expect(noise?.interruptions).at.least(0);
  });
});
