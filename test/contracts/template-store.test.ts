import { expect } from 'chai';
import fc from 'fast-check';
import { tierNames } from '../../core/accounts/tier.ts';
import { event } from '../../core/events/event.ts';
import { type TemplateId, toTemplateId } from '../../core/id.ts';
import { isRefused } from '../../core/refusal.ts';
import { categories, parameterTypes, type TemplateChange } from '../../core/templates/template.ts';
import { addTemplate, backends, newTemplate, openForAll, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, must, outcome } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

const text = fc.string({ unit: 'grapheme' });
const parameter = fc.record(
  {
    name: text,
    type: fc.constantFrom(...parameterTypes),
    label: text,
    description: text,
    required: fc.boolean(),
    default: fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null)),
    options: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['name', 'type', 'label', 'description', 'required', 'default'], noNullPrototype: true },
);
/** Any subset of the fields that may be changed, also none. */
const anyChange: fc.Arbitrary<TemplateChange> = fc.record(
  {
    title: text,
    description: text,
    category: fc.constantFrom(...categories),
    tier: fc.constantFrom(...tierNames),
    tags: fc.array(text, { maxLength: 3 }),
    parameters: fc.array(parameter, { maxLength: 2 }),
    zip: text,
  },
  { requiredKeys: [], noNullPrototype: true },
);

for (const backend of backends) {
  describe(`template store: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const add = (slug: string) =>
      stores.templates.add(newTemplate({ slug }), event('template.added', slug, by, issuedAt, { wanted: slug }));
    const updated = (at: number) => event('template.updated', 'uniswap-dex', by, issuedAt, { at });
    const update = (id: TemplateId, change: TemplateChange, at: number) =>
      stores.templates.change(id, (before) => ({ after: { ...before, ...change }, event: updated(at) }));
    const read = async (id: TemplateId) => must(await stores.templates.findById(id));

    it('returns the added template with a new id and no downloads', async () => {
      const first = await addTemplate(stores, 'uniswap-dex');
      const bare = { title: '', description: '', tags: [], parameters: [], createdAt: 0, zip: '' } as const;
      const second = await addTemplate(stores, 'nft-mint', bare);
      expect(first).to.deep.equal({ ...newTemplate(), id: first.id, downloadCount: 0 });
      expect(second).to.deep.equal({ ...newTemplate({ ...bare, slug: 'nft-mint' }), id: second.id, downloadCount: 0 });
      expect(first.id).to.not.equal(second.id);
    });

    it('finds each template by id and by slug', async () => {
      for (const template of [await addTemplate(stores, 'uniswap-dex'), await addTemplate(stores, 'uniswap-dex-2')]) {
        expect(await stores.templates.findById(template.id)).to.deep.equal(template);
        expect(await stores.templates.findBySlug(template.slug)).to.deep.equal(template);
      }
    });

    it('finds nothing for an unknown id or slug', async () => {
      const { id } = await addTemplate(stores, 'uniswap-dex');
      for (const unknown of [id + 1, 0, -1, 999_999_999_999_999]) {
        expect(await stores.templates.findById(toTemplateId(unknown))).to.equal(undefined);
      }
      for (const unknown of ['uniswap', 'uniswap-dex-2', 'uniswap%', 'UNISWAP-DEX', '']) {
        expect(await stores.templates.findBySlug(unknown)).to.equal(undefined);
      }
    });

    it('saves the event of a template that it adds', async () => {
      await add('uniswap-dex');
      await add('nft-mint');
      expect(await stores.audit.list({ subject: 'nft-mint', limit: 9 })).to.deep.equal([
        event('template.added', 'nft-mint', by, issuedAt, { wanted: 'nft-mint' }),
      ]);
    });

    it('refuses a slug that is taken, and saves neither the template nor the event', async () => {
      const first = await addTemplate(stores, 'uniswap-dex');
      const refused = await stores.templates.add(newTemplate({ title: 'Another' }), updated(1));
      expect(outcome(refused)).to.equal('slug_taken');
      expect(await stores.templates.list({ tiers: tierNames })).to.deep.equal([first]);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('accepts exactly one of several concurrent templates with the same slug', async () => {
      const answers = await Promise.all(Array.from({ length: 15 }, (_, n) => add(`dex-${n % 3}`)));
      const added = answers.flatMap((answer) => (isRefused(answer) ? [] : [answer]));
      expect(added.map(({ slug }) => slug).sort()).to.deep.equal(['dex-0', 'dex-1', 'dex-2']);
      expect(new Set(added.map(({ id }) => id)).size).to.equal(3);
      expect(await stores.templates.list({ tiers: tierNames })).to.have.lengthOf(3);
      expect(await stores.audit.list({ limit: 99 })).to.have.lengthOf(3);
    });

    it('changes exactly the named fields, also none, and no other template', async () => {
      const other = await addTemplate(stores, 'nft-mint');
      let expected = await addTemplate(stores, 'uniswap-dex');
      await stores.templates.countDownload(expected.id);
      expected = { ...expected, downloadCount: 1 };
      await fc.assert(
        fc.asyncProperty(anyChange, async (change) => {
          expected = { ...expected, ...change };
          await update(expected.id, change, 0);
          expect(await read(expected.id)).to.deep.equal(expected);
        }),
        { numRuns: runs(30), examples: [[{}]], endOnFailure: true },
      );
      expect(await read(other.id)).to.deep.equal(other);
    });

    it('counts every concurrent download, separately for each template', async () => {
      const [dex, mint] = [await addTemplate(stores, 'uniswap-dex'), await addTemplate(stores, 'nft-mint')];
      const ids = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? mint.id : dex.id));
      await Promise.all(ids.map((id) => stores.templates.countDownload(id)));
      expect(await read(dex.id)).to.deep.equal({ ...dex, downloadCount: 20 });
      expect(await read(mint.id)).to.deep.equal({ ...mint, downloadCount: 10 });
    });

    it('loses neither a download nor a change if both happen concurrently', async () => {
      const template = await addTemplate(stores, 'uniswap-dex');
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          n % 4 === 0
            ? update(template.id, n === 8 ? { zip: 'templates/2.zip' } : { title: 'New' }, n)
            : stores.templates.countDownload(template.id),
        ),
      );
      const expected = { ...template, title: 'New', zip: 'templates/2.zip', downloadCount: 9 };
      expect(await read(template.id)).to.deep.equal(expected);
    });
  });

  describe(`template store: ${backend.name}: list`, () => {
    const stores = openForAll(backend);
    const kinds = tierNames.flatMap((tier) => categories.slice(1).map((category) => ({ tier, category })));

    before(async () => {
      for (const [n, kind] of [...kinds, ...kinds.slice(0, 5)].entries()) {
        await addTemplate(stores, `template-${n}`, { ...kind, createdAt: issuedAt + n });
      }
    });

    it('lists the templates of the given tiers and category, newest first', async () => {
      const newestFirst = (await stores.templates.list({ tiers: tierNames })).toSorted((a, b) => b.id - a.id);
      expect(newestFirst.map(({ createdAt }) => createdAt - issuedAt)).to.deep.equal([...Array(17).keys()].reverse());
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray([...tierNames]),
          fc.option(fc.constantFrom(...categories), { nil: undefined }),
          async (tiers, category) => {
            expect(await stores.templates.list({ tiers, category })).to.deep.equal(
              newestFirst.filter((one) => tiers.includes(one.tier) && [undefined, one.category].includes(category)),
            );
          },
        ),
        { numRuns: runs(40) },
      );
    });

    it('lists nothing for an empty or unknown category', async () => {
      for (const category of [categories[0], 'no-such-category', '%', '']) {
        expect(await stores.templates.list({ tiers: tierNames, category })).to.deep.equal([]);
      }
    });
  });
}
