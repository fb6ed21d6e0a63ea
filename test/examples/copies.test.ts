import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { exampleFile } from './interpreters.ts';

const styles = [
  'plain-javascript/site.css',
  'react/src/site.css',
  'ethers/src/site.css',
  'nextjs/app/site.css',
] as const;

const explaining = [
  'plain-javascript/site.js',
  'react/src/administration.jsx',
  'ethers/src/license.js',
  'nextjs/app/admin/page.jsx',
] as const;

/** Each example is copied alone, so what they have in common is in each of them. */
describe('what the examples have in common', () => {
  const read = (paths: readonly string[]) => Promise.all(paths.map((path) => readFile(exampleFile(path), 'utf8')));

  it('is one style sheet', async () => {
    const [first, ...others] = await read(styles);
    expect(first).to.include(':root');
    for (const [n, other] of others.entries()) expect(other, styles[n + 1]).to.equal(first);
  });

  it('is one explanation of each reason', async () => {
    const found = (await read(explaining)).map((text) => /^const explanations = \{\n.*?^\};\n/ms.exec(text)?.[0]);
    const [first, ...others] = found;
    expect(first).to.include('invalid_domain:');
    for (const [n, other] of others.entries()) expect(other, explaining[n + 1]).to.equal(first);
  });
});
