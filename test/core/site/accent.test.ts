import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { isRefused } from '../../../core/refusal.ts';
import { accentOf, contrast, grounds, leastContrast } from '../../../core/site/accent.ts';
import { good } from '../../support/good.ts';

const byte = fc.integer({ min: 0, max: 255 }).map((number) => number.toString(16).padStart(2, '0'));
const color = fc.tuple(byte, byte, byte).map((parts) => `#${parts.join('')}`);

describe('the accent colour', () => {
  it('has the contrast of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).to.equal(21);
    expect(contrast('#ffffff', '#ffffff')).to.equal(1);
    expect(contrast('#777777', '#ffffff')).to.be.closeTo(4.48, 0.01);
  });

  it('can be read on all grounds of both themes, and white on it, or is refused with its contrast', () => {
    fc.assert(
      fc.property(color, (text) => {
        const accent = accentOf(text);
        if (isRefused(accent)) {
          expect(accent.figures?.contrast).to.be.below(leastContrast);
          return;
        }
        const { light, dark, marked } = accent;
        expect(light).to.equal(text);
        for (const ground of [...grounds.light, marked.light, '#ffffff'])
          expect(contrast(light, ground)).to.be.at.least(leastContrast);
        for (const ground of [...grounds.dark, marked.dark])
          expect(contrast(dark, ground)).to.be.at.least(leastContrast);
      }),
      { examples: [['#000000'], ['#ffffff'], ['#1b6b50'], ['#0000ff'], ['#ff0000']] },
    );
  });

  it('stays as it was chosen in the light theme, and becomes lighter in the dark one', () => {
    const { light, dark } = good(accentOf('#1B6B50'));
    expect(light).to.equal('#1b6b50');
    expect(contrast(dark, '#000000')).to.be.above(contrast(light, '#000000'));
  });

  it('is # and six digits', () => {
    for (const text of ['red', '#fff', '1b6b50', '#1b6b5g', '#1b6b50ff', '#1b6b50;}', ' #1b6b50'])
      expect(accentOf(text), text).to.include({ reason: 'not_a_color' });
  });

  it('is checked against the grounds of the style sheet', async () => {
    const sheet = await readFile(new URL('../../../adapters/http/ui/assets/style.css', import.meta.url), 'utf8');
    const found = [...sheet.matchAll(/--(?:ground|surface|raised): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
    expect(found).to.have.length.at.least(2);
    const [darkest, lightest] = [leastLight(grounds.light), leastDark(grounds.dark)];
    expect(leastLight(found.map(([, light = '']) => light)), 'light').to.be.at.least(darkest);
    expect(leastDark(found.map(([, , dark = '']) => dark)), 'dark').to.be.at.least(lightest);
  });
});

/** How far the darkest is from black, and the lightest from white. */
const leastLight = (colors: readonly string[]) => Math.min(...colors.map((one) => contrast(one, '#000000')));
const leastDark = (colors: readonly string[]) => Math.min(...colors.map((one) => contrast(one, '#ffffff')));
