import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const sheet = readFileSync(new URL('../../../../adapters/http/ui/assets/style.css', import.meta.url), 'utf8').replace(
  /\/\*[\s\S]*?\*\//g,
  '',
);
/** The declarations of custom properties, and all others. */
const [named, used] = [/^\s*(--[\w-]+):\s*([^;{}]+);/gm, /^\s*([a-z][\w-]*):\s*([^;{}]+);/gm].map((pattern) =>
  Array.from(sheet.matchAll(pattern), ([, name = '', value = '']) => ({ name, value: value.trim() })),
);

describe('the style sheet', () => {
  it('has six sizes of text, nine distances, three elevations, and one accent', () => {
    const names = (named ?? []).map(({ name }) => name);
    const scale = (start: string) => names.filter((name) => name.startsWith(start));
    expect(scale('--size-')).to.have.lengthOf(6);
    expect(scale('--space-')).to.have.lengthOf(9);
    expect(scale('--lift-')).to.have.lengthOf(3);
    const accent = (named ?? []).filter(({ name }) => name === '--accent');
    expect(accent).to.have.lengthOf(1);
    expect(accent[0]?.value, 'a colour, from which all tints follow').to.match(/^#[0-9a-f]{6}$/);
  });

  it('uses only the sizes of its scale', () => {
    const sizes = (used ?? []).filter(({ name }) => name === 'font-size' || name === 'font');
    expect(sizes).to.not.have.lengthOf(0);
    const own = sizes.filter(({ value }) => !/^(?:var\(--size-(?:xs|s|m|l|xl|xxl)\)|inherit)/.test(value));
    expect(own).to.deep.equal([]);
  });

  it('uses only the distances of its scale', () => {
    const distances = (used ?? []).filter(({ name }) => /^(?:padding|margin|(?:row-|column-)?gap)/.test(name));
    expect(distances).to.not.have.lengthOf(0);
    const own = distances.filter(({ value }) => /\d(?:rem|px)\b/.test(value));
    expect(own).to.deep.equal([]);
  });

  it('uses only the elevations of its scale', () => {
    const shadows = (used ?? []).filter(({ name }) => name === 'box-shadow');
    expect(shadows.filter(({ value }) => !/^var\(--lift-[123]\)$|^none$/.test(value))).to.deep.equal([]);
  });

  it('names each custom property that it uses', () => {
    const names = new Set((named ?? []).map(({ name }) => name));
    const missing = [...sheet.matchAll(/var\((--[\w-]+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name));
    expect(missing).to.deep.equal([]);
  });
});
