import { expect } from 'chai';
import { serialized } from '../../../../adapters/http/edd/version.ts';

describe('lists of texts for PHP', () => {
  it('have their number, and each text with its length in bytes', () => {
    expect(serialized({})).to.equal('a:0:{}');
    expect(serialized({ changelog: '', é: 'a "ü";}' })).to.equal('a:2:{s:9:"changelog";s:0:"";s:2:"é";s:8:"a "ü";}";}');
  });
});
