import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId, toUserId } from '../../../core/id.ts';
import {
  blankProduct,
  formatPrice,
  isPublic,
  type Product,
  parsePrice,
  productStatuses,
} from '../../../core/marketplace/product.ts';
import {
  type ProductTransition,
  productTransitions,
  transitProduct,
} from '../../../core/marketplace/product-transitions.ts';
import { withNewFile } from '../../../core/marketplace/review-policy.ts';
import { isRefused } from '../../../core/refusal.ts';
import { good } from '../../support/good.ts';
import { runs } from '../../support/runs.ts';
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
      { numRuns: runs(2000) },
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
      { numRuns: runs(1000) },
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
  ...blankProduct,
  createdAt: 0,
  updatedAt: 0,
};
const transitions = Object.keys(productTransitions) as ProductTransition[];
const moderator = { now: 5, isModerator: true };
const seller = { now: 5, isModerator: false };

describe('the states of a product', () => {
  it('change only as the table says', () => {
    const paths = transitions.flatMap((transition) =>
      productStatuses.flatMap((from) => {
        const to = productTransitions[transition][from];
        return to === undefined ? [] : [`${transition}: ${from} -> ${to}`];
      }),
    );
    expect(paths).to.have.members([
      'approve: pending -> published',
      'approve: unlisted -> published',
      'reject: pending -> rejected',
      'unlist: published -> unlisted',
      'relist: unlisted -> published',
      'resubmit: rejected -> pending',
      'archive: pending -> unlisted',
      'archive: published -> unlisted',
      'archive: rejected -> rejected',
      'archive: unlisted -> unlisted',
    ]);
  });

  it('change together with the time of the change, or the change is refused with what is possible', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...productStatuses),
        fc.constantFrom(...transitions),
        fc.nat(),
        (status, step, now) => {
          const before = { ...product, status };
          const after = transitProduct(before, step, { now, isModerator: true });
          const expected = productTransitions[step][status];
          if (expected !== undefined) {
            const { isApproved, archivedAt, ...same } = { ...before, status: expected, updatedAt: now };
            expect(after).to.deep.include(same);
          } else {
            if (!isRefused(after)) throw new Error('It is not refused.');
            expect(after.reason).to.equal('transition_not_allowed');
            expect(after.detail).to.match(
              new RegExp(`^Cannot ${step} a product that is ${status}. It can be .*archived.$`),
            );
          }
        },
      ),
    );
  });

  it('never change once the product is archived', () => {
    for (const status of productStatuses) {
      const archived = good(transitProduct({ ...product, status }, 'archive', seller));
      expect(archived).to.include({ archivedAt: 5, updatedAt: 5 });
      expect(isPublic(archived)).to.equal(false);
      for (const step of transitions) {
        const refused = transitProduct(archived, step, moderator);
        expect(isRefused(refused) && refused.detail).to.equal(
          `Cannot ${step} a product that is archived. It stays as it is.`,
        );
      }
    }
  });

  it('keep the reason of a rejection until the product is submitted again', () => {
    const rejected = good(transitProduct(product, 'reject', { ...moderator, reason: 'No license.' }));
    expect(rejected).to.include({ status: 'rejected', rejectionReason: 'No license.' });
    expect(good(transitProduct(rejected, 'archive', seller)).rejectionReason).to.equal('No license.');
    expect(good(transitProduct(rejected, 'resubmit', seller)).rejectionReason).to.equal(null);
    expect(good(transitProduct(product, 'reject', moderator)).rejectionReason).to.equal(null);
  });

  it('let sellers relist only what was approved and was not taken down by a moderator', () => {
    const approved = good(transitProduct(product, 'approve', moderator));
    const own = good(transitProduct(approved, 'unlist', seller));
    expect(good(transitProduct(own, 'relist', seller))).to.include({ status: 'published', isApproved: true });
    const takenDown = good(transitProduct(approved, 'unlist', moderator));
    for (const one of [takenDown, { ...product, status: 'unlisted' } as const]) {
      expect(good(transitProduct(one, 'relist', seller))).to.include({ status: 'pending', isApproved: false });
      expect(good(transitProduct(one, 'relist', moderator))).to.include({ status: 'published', isApproved: true });
    }
  });

  it('let moderators take down what the seller has unlisted, so that the seller cannot publish it again', () => {
    const approved = good(transitProduct(product, 'approve', moderator));
    const own = good(transitProduct(approved, 'unlist', seller));
    const takenDown = good(transitProduct(own, 'unlist', moderator));
    expect(takenDown).to.include({ status: 'unlisted', isApproved: false });
    expect(good(transitProduct(takenDown, 'relist', seller))).to.include({ status: 'pending' });
    expect(isRefused(transitProduct(takenDown, 'unlist', moderator))).to.equal(true);
    expect(isRefused(transitProduct(own, 'unlist', seller))).to.equal(true);
  });

  it('return to review with a new file only under the policy `every`', () => {
    const approved = good(transitProduct(product, 'approve', moderator));
    expect(withNewFile(approved, 'first', undefined)).to.equal(approved);
    expect(withNewFile(approved, 'every', undefined)).to.include({ status: 'pending', isApproved: false });
    const unlisted = good(transitProduct(approved, 'unlist', seller));
    expect(withNewFile(unlisted, 'every', undefined)).to.include({ status: 'unlisted', isApproved: false });
    expect(withNewFile(approved, 'every', { selling: 'invited' })).to.include({ status: 'pending' });
    expect(withNewFile(approved, 'every', { selling: 'trusted' })).to.equal(approved);
    const takenDown = good(transitProduct(approved, 'unlist', moderator));
    expect(withNewFile(takenDown, 'every', { selling: 'trusted' })).to.equal(takenDown);
  });

  it('make a product public only if it is published and was not created with a test key', () => {
    for (const status of productStatuses) {
      expect(isPublic({ ...product, status })).to.equal(status === 'published');
      expect(isPublic({ ...product, status, isLive: false })).to.equal(false);
    }
  });
});
