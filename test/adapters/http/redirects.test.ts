import { expect } from 'chai';
import { goTo, leaveTo } from '../../../adapters/http/dashboard/kit/answer.ts';

describe('a redirect', () => {
  it('goes to a path of this site as it is written', () => {
    for (const path of ['account', 'account/keys?page=2&q=a%26b', 'orders/1a?paid', 'docs/payments#stripe', '']) {
      expect(goTo(path)).to.deep.equal({ kind: 'redirect', to: path });
    }
  });

  it('leads to another site only if the caller says so', () => {
    for (const address of ['https://pay.example/c/1#f', 'http://localhost:1/pay']) {
      expect(() => goTo(address)).to.throw('another site');
      expect(leaveTo(address)).to.deep.equal({ kind: 'leave', to: new URL(address) });
    }
    for (const path of [
      '//evil.example',
      '/\\evil.example',
      '\t//evil.example',
      'javascript:alert(1)',
      '/https://a.example',
    ]) {
      expect(() => goTo(path), path).to.throw('another site');
    }
    for (const address of ['account', 'javascript:alert(1)', '//evil.example'])
      expect(() => leaveTo(address)).to.throw();
  });
});
