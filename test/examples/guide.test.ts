import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { exampleFile } from './interpreters.ts';

const guide = readFileSync(new URL('../../apps/docs/examples.md', import.meta.url), 'utf8');

describe('the guide to the examples', () => {
  const folders = readdirSync(exampleFile('.'));

  it('names each folder in its table', () => {
    const named = Array.from(guide.matchAll(/^\| \[`([\w-]+)`\]\(examples\/\1\/README\.md\)/gm), ([, name]) => name);
    expect(named).to.include.members(folders);
  });

  for (const folder of folders) {
    it(`${folder}: its README says what it is, how to run it, and what to change`, () => {
      const text = readFileSync(exampleFile(`${folder}/README.md`), 'utf8');
      expect(text.match(/^#+ .*/gm))
        .to.have.length(3)
        .and.include.members(['## Run it', '## Make it yours']);
    });
  }
});
