import { expect } from 'chai';
import type { UserId } from '../../../core/id.ts';
import { isMistakable, isPlatformVersion, letsIn, noAdapters } from '../../../core/marketplace/product-adapters.ts';

const [ada, eve] = [1 as UserId, 2 as UserId];

function product(ownerId: UserId | null, isLive: boolean, isOn = true) {
  return { ownerId, isLive, adapters: { ...noAdapters, edd: { ...noAdapters.edd, isOn, itemId: 8 } } };
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

describe('products with the same secret key of Software License Manager', () => {
  const slm = (ownerId: UserId, itemReference: string | null, secretKey: string | null = '5f8.1') => ({
    ...{ ownerId, isLive: true, adapters: { ...noAdapters, slm: { isOn: true, secretKey, itemReference } } },
  });

  it('are told apart by their reference if they have one seller, and never if not', () => {
    expect(isMistakable('slm', slm(ada, 'Jar'), slm(ada, 'Cup'))).to.equal(false);
    expect(isMistakable('slm', slm(ada, 'Jar'), slm(ada, ' JAR '))).to.equal(true);
    expect(isMistakable('slm', slm(ada, 'Jar'), slm(ada, null))).to.equal(true);
    expect(isMistakable('slm', slm(ada, null), slm(ada, 'Jar'))).to.equal(true);
    expect(isMistakable('slm', slm(ada, 'Jar'), slm(eve, 'Cup'))).to.equal(true);
    expect(isMistakable('slm', slm(ada, 'Jar'), slm(eve, 'Jar', '5f8.2'))).to.equal(false);
    expect(isMistakable('slm', slm(ada, null, null), slm(eve, null, null))).to.equal(false);
  });
});

describe('what sites are told of a plugin', () => {
  it('can be changed without letting anybody in', () => {
    const edd = { ...noAdapters.edd, isOn: true, itemId: 8 };
    const before = { ...noAdapters, edd };
    const plugin = { requires: '6.0', tested: '6.5', requiresPhp: '8.1' };
    expect(letsIn(before, { ...before, edd: { ...edd, plugin } })).to.equal(false);
    expect(letsIn(before, { ...before, edd: { ...edd, plugin, itemId: 9 } })).to.equal(true);
    expect(letsIn(noAdapters, before)).to.equal(true);
  });

  it('are versions with one to three numbers', () => {
    for (const good of ['6', '6.5', '8.1.2', '10.0']) expect(isPlatformVersion(good), good).to.equal(true);
    for (const bad of ['', 'v6', '6.', '.5', '6.5.', '6.5.1.2', '6.5-RC1', '6 5', '12345', '6.5\n']) {
      expect(isPlatformVersion(bad), bad).to.equal(false);
    }
  });
});
