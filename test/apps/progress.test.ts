import { expect } from 'chai';
import { createProgress, warnIfLong } from '../../apps/commands/progress.ts';

/** Returns the output of a command that handles a thousand files in a minute. */
function written(isTTY: boolean): string[] {
  const texts: string[] = [];
  let now = 0;
  const stream = { isTTY, write: (text: string | Uint8Array) => texts.push(String(text)) > 0 };
  const progress = createProgress(stream, () => now);
  progress.step('Copying the database');
  progress.step('Copying 1000 files');
  for (let done = 1; done <= 1_000; done++) {
    now += 60;
    progress.at(done, 1_000);
  }
  progress.end();
  return texts;
}

describe('progress', () => {
  it('is a plain line for each step and for each ten seconds, where nobody looks at a terminal', () => {
    const lines = written(false);
    expect(lines.slice(0, 3)).to.deep.equal([
      'Copying the database\n',
      'Copying 1000 files\n',
      'Copying 1000 files: 167 of 1000\n',
    ]);
    expect(lines).to.have.lengthOf(2 + 5);
  });

  it('is one line on a terminal, which is gone in the end', () => {
    const texts = written(true);
    expect(texts.join('')).to.not.include('\n');
    expect(texts.every((text) => text.startsWith('\r\x1b[K'))).to.equal(true);
    expect(texts.at(-1)).to.equal('\r\x1b[K');
    expect(texts).to.include('\r\x1b[KCopying 1000 files: 1000 of 1000');
  });

  it('tells only how many are done where nobody knows the total', () => {
    const texts: string[] = [];
    let now = 0;
    const stream = { isTTY: false, write: (text: string | Uint8Array) => texts.push(String(text)) > 0 };
    const progress = createProgress(stream, () => now);
    progress.step('Unpacking');
    now += 10_000;
    progress.at(37);
    expect(texts).to.deep.equal(['Unpacking\n', 'Unpacking: 37\n']);
  });

  it('tells of work that takes long, and of no other', async () => {
    const texts: string[] = [];
    let told: () => void = () => undefined;
    const isTold = new Promise<void>((resolve) => {
      told = resolve;
    });
    const stream = {
      write(text: string | Uint8Array) {
        told();
        return texts.push(String(text)) > 0;
      },
    };
    expect(await warnIfLong('never', Promise.resolve(7), stream, 1)).to.equal(7);
    await warnIfLong('It takes long.', isTold, stream, 1);
    expect(texts).to.deep.equal(['It takes long.\n']);
  });
});
