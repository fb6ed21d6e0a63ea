import { expect } from 'chai';
import { createPlaces } from '../../adapters/places.ts';

describe('places', () => {
  it('are limited for each key, and can be taken again after they are free', () => {
    const places = createPlaces<string>(2);
    const leave = places.take('one');
    places.take('one');
    expect(places.take('one')).to.equal(undefined);
    expect(places.take('other')).to.be.a('function');
    leave?.();
    expect(places.take('one')).to.be.a('function');
    expect(places.take('one')).to.equal(undefined);
  });

  it('become free once, even if they are left twice', () => {
    const places = createPlaces<string>(2);
    const leave = places.take('one');
    places.take('one');
    leave?.();
    leave?.();
    expect(places.take('one')).to.be.a('function');
    expect(places.take('one')).to.equal(undefined);
  });
});
