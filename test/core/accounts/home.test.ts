import { expect } from 'chai';
import { homeOf } from '../../../core/accounts/home.ts';

describe('the page after a sign-in', () => {
  const cases = [
    { sellsLive: false, sellsTest: false, isAdmin: false, home: 'purchases' },
    { sellsLive: false, sellsTest: false, isAdmin: true, home: 'admin' },
    { sellsLive: true, sellsTest: false, isAdmin: false, home: 'selling-live' },
    { sellsLive: true, sellsTest: true, isAdmin: true, home: 'selling-live' },
    { sellsLive: false, sellsTest: true, isAdmin: true, home: 'selling-test' },
    { sellsLive: false, sellsTest: true, isAdmin: false, home: 'selling-test' },
  ] as const;
  for (const { home, ...doings } of cases) {
    it(`is ${home} for ${JSON.stringify(doings)}`, () => expect(homeOf(doings)).to.equal(home));
  }
});
