import { expect } from 'chai';
import fc from 'fast-check';
import { bannerOf } from '../../../core/marketplace/product-pictures.ts';

const picture = (key: string, width: number, height: number) => ({ key, alt: 'A jar', shape: { width, height } });

describe('the banner of a product', () => {
  it('is the first picture with the shape that WordPress expects', () => {
    const others = [{ key: 'old', alt: 'Without a shape' }, picture('square', 800, 800), picture('small', 386, 125)];
    const single = picture('single', 772, 250);
    expect(bannerOf(others)).to.equal(undefined);
    expect(bannerOf([...others, single, picture('double', 1544, 500)])).to.deep.equal({
      key: 'single',
      isDouble: false,
    });
    expect(bannerOf([...others, picture('double', 1544, 500), single])).to.deep.equal({
      key: 'double',
      isDouble: true,
    });
  });

  it('is never narrower than WordPress shows it, nor cut visibly', () => {
    const side = fc.integer({ min: 1, max: 4_000 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const found = bannerOf([picture('a', width, height)]);
        const isFit = width >= 772 && Math.abs(width / height / (772 / 250) - 1) < 0.02;
        expect(found !== undefined).to.equal(isFit);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), (times) => {
        expect(bannerOf([picture('a', 772 * times, 250 * times)])?.isDouble).to.equal(times >= 2);
      }),
    );
  });
});
