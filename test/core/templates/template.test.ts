import { expect } from 'chai';
import fc from 'fast-check';
import { includes, tierNames } from '../../../core/accounts/tier.ts';
import { parseId, toTemplateId } from '../../../core/id.ts';
import { slugOf } from '../../../core/marketplace/product.ts';
import { isSlug, isVisible, type Template } from '../../../core/templates/template.ts';
import { runs } from '../../support/runs.ts';
import { anyText } from '../texts.ts';

const slugLike = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', ' '), maxLength: 90 });

describe('isSlug and parseId', () => {
  it('are never both true for one text, so that an id and a slug cannot be confused', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, slugLike, fc.stringMatching(/^\d{1,20}$/)), (text) => {
        expect(parseId(text, toTemplateId) !== undefined && isSlug(text)).to.equal(false);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('recognize every id as an id, and every slug that is made from a title as a slug', () => {
    fc.assert(
      fc.property(fc.nat(), anyText, (id, title) => {
        expect(parseId(String(id), toTemplateId)).to.equal(id);
        expect(isSlug(slugOf(title, (text) => text))).to.equal(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('accept as a slug only words of a-z and 0-9 with single hyphens between them, up to 80 characters, not digits only', () => {
    for (const text of ['a', 'dex', 'a-b-2', '2-0', '0x', 'a'.repeat(80)]) expect(isSlug(text), text).to.equal(true);
    for (const text of ['', '-', '-a', 'a-', 'a--b', 'A', 'ä', 'a b', 'a.b', '2024', 'a\n', '../a', 'a'.repeat(81)]) {
      expect(isSlug(text), text).to.equal(false);
    }
  });
});

describe('isVisible', () => {
  it('shows a template to every tier above one that sees it', () => {
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
