import { expect } from 'chai';
import { createPermits } from '../../../adapters/http/upload.ts';

describe('permits', () => {
  it('are limited for each key, and can be taken again after they are free', () => {
    const permits = createPermits<string>(2);
    const leave = permits.take('one');
    permits.take('one');
    expect(permits.take('one')).to.equal(undefined);
    expect(permits.take('other')).to.be.a('function');
    leave?.();
    expect(permits.take('one')).to.be.a('function');
    expect(permits.take('one')).to.equal(undefined);
  });

  it('become free once, even if they are left twice', () => {
    const permits = createPermits<string>(2);
    const leave = permits.take('one');
    permits.take('one');
    leave?.();
    leave?.();
    expect(permits.take('one')).to.be.a('function');
    expect(permits.take('one')).to.equal(undefined);
  });
});
