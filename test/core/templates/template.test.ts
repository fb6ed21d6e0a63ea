import { expect } from 'chai';
import fc from 'fast-check';
import { includes, tierNames } from '../../../core/accounts/tier.ts';
import { parseId, toTemplateId } from '../../../core/id.ts';
import { slugOf } from '../../../core/marketplace/product.ts';
import { isSlug, isVisible, type Template } from '../../../core/templates/template.ts';
import { anyText } from '../texts.ts';

const slugLike = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', ' '), maxLength: 90 });

describe('isSlug and parseId', () => {
  it('never both hold: an id and a slug are told apart by their look', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, slugLike, fc.stringMatching(/^\d{1,20}$/)), (text) => {
        expect(parseId(text, toTemplateId) !== undefined && isSlug(text)).to.equal(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('take every id there may be, and what a title makes, for what they are', () => {
    fc.assert(
      fc.property(fc.nat(), anyText, (id, title) => {
        expect(parseId(String(id), toTemplateId)).to.equal(id);
        expect(isSlug(slugOf(title, (text) => text))).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('takes words of a-z and 0-9 with single hyphens between for a slug, up to 80 characters, not digits alone', () => {
    for (const text of ['a', 'dex', 'a-b-2', '2-0', '0x', 'a'.repeat(80)]) expect(isSlug(text), text).to.equal(true);
    for (const text of ['', '-', '-a', 'a-', 'a--b', 'A', 'ä', 'a b', 'a.b', '2024', 'a\n', '../a', 'a'.repeat(81)]) {
      expect(isSlug(text), text).to.equal(false);
    }
  });
});

describe('isVisible', () => {
  it('is monotone in the tier: whoever sees a template sees it on every higher tier', () => {
    const tier = fc.constantFrom(...tierNames);
    fc.assert(
      fc.property(tier, tier, tier, (needed, lower, higher) => {
        fc.pre(includes(higher, lower));
        const template = { tier: needed } as Template;
        if (isVisible(template, lower)) expect(isVisible(template, higher)).to.equal(true);
      }),
    );
  });

  it('shows each tier its own templates', () => {
    for (const tier of tierNames) expect(isVisible({ tier } as Template, tier)).to.equal(true);
  });
});
