import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { variables } from '../../apps/wiring/config.ts';

describe('the README', () => {
  it('lists every setting with its default and meaning, as the program has them', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const table = /<!-- settings -->\n([\s\S]*?)<!-- \/settings -->/.exec(readme)?.[1];
    const rows = Object.entries(variables).map(
      ([name, { fallback, meaning }]) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |\n`,
    );
    expect(table).to.equal(`| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('')}`);
  });
});
