import { expect } from 'chai';
import type { UserId } from '../../../core/id.ts';
import { isMistakable, noAdapters } from '../../../core/marketplace/product-adapters.ts';

const [ada, eve] = [1 as UserId, 2 as UserId];

function product(ownerId: UserId | null, isLive: boolean, isOn = true) {
  return { ownerId, isLive, adapters: { ...noAdapters, edd: { isOn, itemId: 8, itemName: null } } };
}

describe('products with the same ids in another system', () => {
  it('are mistaken for each other if both are on, except a product and the test product of one seller', () => {
    const jar = product(ada, true);
    expect(isMistakable('edd', jar, product(ada, true))).to.equal(true);
    expect(isMistakable('edd', jar, product(ada, false))).to.equal(false);
    expect(isMistakable('edd', jar, product(eve, false))).to.equal(true);
    expect(isMistakable('edd', product(null, true), product(null, false))).to.equal(false);
    expect(isMistakable('edd', jar, product(eve, true, false))).to.equal(false);
    expect(isMistakable('edd', product(eve, true, false), jar)).to.equal(false);
    expect(isMistakable('lemonsqueezy', jar, product(eve, true))).to.equal(false);
  });
});
