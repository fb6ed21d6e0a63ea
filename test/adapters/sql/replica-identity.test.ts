import { expect } from 'chai';
import { hasRowsOf, type ServerIdentity } from '../../../adapters/sql/postgres/replica-identity.ts';

const primary: ServerIdentity = { system: '7', started: 100.000001, is_standby: false };

const servers: readonly (readonly [what: string, server: Partial<ServerIdentity>, has: boolean])[] = [
  ['the primary under another name', {}, true],
  ['a standby of the primary', { started: 300, is_standby: true }, true],
  ['a standby that was promoted separately', { started: 300 }, false],
  ['a standby of another cluster', { system: '8', started: 300, is_standby: true }, false],
  ['another cluster', { system: '8' }, false],
];

describe('a replica', () => {
  for (const [what, server, has] of servers) {
    it(`${has ? 'has' : 'does not have'} the rows of the primary if it is ${what}`, () => {
      expect(hasRowsOf(primary, { ...primary, ...server })).to.equal(has);
    });
  }
});
