import { expect } from 'chai';
import { createProgress, warnIfLong } from '../../apps/commands/progress.ts';

/** Returns the output of a command that handles a thousand files in a minute. */
function outputOn(isTTY: boolean): string[] {
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
  it('is a plain line for each step and every ten seconds, if the output is not a terminal', () => {
    const lines = outputOn(false);
    expect(lines.slice(0, 3)).to.deep.equal([
      'Copying the database\n',
      'Copying 1000 files\n',
      'Copying 1000 files: 167 of 1000\n',
    ]);
    expect(lines).to.have.lengthOf(2 + 5);
  });

  it('is one line on a terminal, which is deleted at the end', () => {
    const texts = outputOn(true);
    expect(texts.join('')).to.not.include('\n');
    expect(texts.every((text) => text.startsWith('\r\x1b[K'))).to.equal(true);
    expect(texts.at(-1)).to.equal('\r\x1b[K');
    expect(texts).to.include('\r\x1b[KCopying 1000 files: 1000 of 1000');
  });

  it('shows only how many are done if the total is unknown', () => {
    const texts: string[] = [];
    let now = 0;
    const stream = { isTTY: false, write: (text: string | Uint8Array) => texts.push(String(text)) > 0 };
    const progress = createProgress(stream, () => now);
    progress.step('Unpacking');
    now += 10_000;
    progress.at(37);
    expect(texts).to.deep.equal(['Unpacking\n', 'Unpacking: 37\n']);
  });

  it('warns only about work that takes long', async () => {
    const texts: string[] = [];
    let resolveWarned: () => void = () => undefined;
    const warned = new Promise<void>((resolve) => {
      resolveWarned = resolve;
    });
    const stream = {
      write(text: string | Uint8Array) {
        resolveWarned();
        return texts.push(String(text)) > 0;
      },
    };
    expect(await warnIfLong('never', Promise.resolve(7), stream, 1)).to.equal(7);
    await warnIfLong('It takes long.', warned, stream, 1);
    expect(texts).to.deep.equal(['It takes long.\n']);
  });
});
