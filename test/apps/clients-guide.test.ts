import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { cases } from '../../apps/cli/conformance/kit.ts';
import { vectorCases } from '../../apps/cli/conformance/vectors.ts';

const docs = new URL('../../apps/docs/', import.meta.url);

const all = [...cases, ...vectorCases('sample')];

describe('the guide to clients', () => {
  it('has the rule of each case of `latchkey conform`, in its order, and no other', async () => {
    const guide = await readFile(new URL('clients.md', docs), 'utf8');
    const [, rules = ''] = guide.split('## The rules\n');
    const listed = rules.split('\n').filter((line) => line.startsWith('- '));
    expect(listed).to.deep.equal(all.map(({ rule, id }) => `- ${rule} \`${id}\``));
  });

  it('is led to by cases that name parts of the guides which exist', async () => {
    for (const { id, guide } of all) {
      const [file = '', heading = ''] = guide.split('#');
      const text = await readFile(new URL(file, docs), 'utf8');
      const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(headings, id).to.include(heading);
    }
  });
});
