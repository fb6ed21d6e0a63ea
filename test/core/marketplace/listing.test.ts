import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId, toUserId } from '../../../core/id.ts';
import {
  formatPrice,
  isPublic,
  type Product,
  parsePrice,
  productStatuses,
  productTransitions,
  transitProduct,
} from '../../../core/marketplace/product.ts';
import { isRefused } from '../../../core/refusal.ts';
import { anyText } from '../texts.ts';

const priceText = /^[0-9]{1,7}(\.[0-9]{1,2})?$/;
const priceLike = fc.string({
  unit: fc.constantFrom('0', '1', '9', '.', ',', '-', '+', 'e', ' ', '\n', '٣', '$'),
  maxLength: 11,
});

describe('prices', () => {
  it('are accepted exactly if they have up to seven digits of dollars and two digits of cents', () => {
    fc.assert(
      fc.property(fc.oneof(priceLike, fc.stringMatching(priceText), anyText), (text) => {
        expect(parsePrice(text) !== undefined).to.equal(priceText.test(text) && !text.endsWith('\n'));
      }),
      { numRuns: 2000 },
    );
    for (const text of [
      '',
      '.',
      '.5',
      '5.',
      '1.234',
      '12345678',
      '-1',
      '1e3',
      '0x1',
      ' 1',
      '1\n',
      '1,50',
      '٣',
      'NaN',
    ]) {
      expect(parsePrice(text), text).to.equal(undefined);
    }
  });

  it('are parsed into the correct number of cents', () => {
    for (const [text, cents] of [
      ['0', 0],
      ['0.00', 0],
      ['00', 0],
      ['49', 4900],
      ['49.9', 4990],
      ['49.09', 4909],
      ['1.15', 115],
      ['9999999.99', 999_999_999],
    ] as const) {
      expect(parsePrice(text), text).to.equal(cents);
    }
  });

  it('do not change when they are formatted and parsed again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (cents) => {
        expect(parsePrice(formatPrice(cents))).to.equal(cents);
        expect(formatPrice(cents)).to.match(/^\d{1,7}\.\d{2}$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('have exactly one written form', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,7}(\.\d{1,2})?$/), (text) => {
        const written = formatPrice(parsePrice(text) ?? -1);
        expect(formatPrice(parsePrice(written) ?? -1)).to.equal(written);
        expect(Number(written)).to.equal(Number(text));
      }),
    );
  });
});

const product: Product = {
  id: toProductId(1),
  slug: 'dex',
  title: 'DEX',
  tagline: 'Swap',
  description: 'A decentralised exchange.',
  price: 0,
  module: 'dex',
  variant: null,
  category: null,
  subcategory: null,
  tags: [],
  blockchains: [],
  isSupported: false,
  status: 'pending',
  ownerId: toUserId(1),
  isLive: true,
  zip: null,
  thumbnail: null,
  createdAt: 0,
  updatedAt: 0,
};
const transitions = ['approve', 'reject', 'unlist', 'resubmit'] as const;

describe('the states of a product', () => {
  it('change only from pending to published or rejected, between published and unlisted, and from rejected to pending', () => {
    const paths = transitions.flatMap((transition) =>
      productStatuses.flatMap((from) => {
        const to = productTransitions[transition][from];
        return to === undefined ? [] : [`${from} -> ${to}`];
      }),
    );
    expect(paths).to.have.members([
      'pending -> published',
      'pending -> rejected',
      'published -> unlisted',
      'unlisted -> published',
      'rejected -> pending',
    ]);
  });

  it('change together with the time of the change and no other field, or the change is refused', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...productStatuses),
        fc.constantFrom(...transitions),
        fc.nat(),
        (status, step, at) => {
          const before = { ...product, status };
          const after = transitProduct(before, step, at);
          const expected = productTransitions[step][status];
          if (expected === undefined) expect(isRefused(after) && after.reason).to.equal('transition_not_allowed');
          else expect(after).to.deep.equal({ ...before, status: expected, updatedAt: at });
        },
      ),
    );
  });

  it('make a product public only if it is published and was not created with a test key', () => {
    for (const status of productStatuses) {
      expect(isPublic({ ...product, status })).to.equal(status === 'published');
      expect(isPublic({ ...product, status, isLive: false })).to.equal(false);
    }
  });
});
