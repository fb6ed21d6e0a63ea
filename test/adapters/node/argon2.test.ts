import { expect } from 'chai';
import { createArgon2Hasher } from '../../../adapters/node/argon2.ts';
import { type Password, toPassword } from '../../../core/accounts/password.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';

const limits = { atOnce: 2, waiting: 100 };
const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 };
const secret = word('correct horse battery');

function word(text: string): Password {
  const password = toPassword(text);
  if (password === undefined) throw new Error('The password is too long.');
  return password;
}

describe('argon2 hasher', () => {
  it('makes PHC strings of argon2id with 19 MiB, two passes, one lane and a salt of their own', async () => {
    const { hash } = createArgon2Hasher(limits);
    const [one, two] = await Promise.all([hash(secret), hash(secret)]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).to.not.equal(two);
  });

  it('knows the right password from all others, and nobody by any password', async () => {
    const { hash, verify } = createArgon2Hasher(limits, cheap);
    const stored = await hash(secret);
    expect(await verify(stored, secret)).to.equal('right');
    for (const other of ['correct horse batterY', 'correct horse batter', '', '\0']) {
      expect(await verify(stored, word(other))).to.equal('wrong');
      expect(await verify(undefined, word(other))).to.equal('wrong');
    }
    const long = 'ü'.repeat(256);
    const hashed = await hash(word(long));
    expect(await verify(hashed, word(long))).to.equal('right');
    expect(await verify(hashed, word(`${long.slice(1)}u`)), 'the last character counts').to.equal('wrong');
  });

  it('says that a hash with other parameters is outdated', async () => {
    const now = createArgon2Hasher(limits, cheap);
    for (const change of [{ memoryCost: 65 }, { timeCost: 2 }, { parallelism: 2 }]) {
      const stored = await createArgon2Hasher(limits, { ...cheap, ...change }).hash(secret);
      expect(await now.verify(stored, secret)).to.equal('outdated');
      expect(await now.verify(stored, word('wrong password'))).to.equal('wrong');
    }
  });

  it('hashes for an unknown account too, so that it takes as long as a wrong password', async () => {
    const { verify } = createArgon2Hasher({ atOnce: 1, waiting: 0 }, cheap);
    const unknown = verify(undefined, secret);
    expect(await errorOf(verify(undefined, secret)), 'while the first is hashed').to.be.instanceOf(Unavailable);
    expect(await unknown).to.equal('wrong');
  });

  it('refuses more hashes than may run and wait', async () => {
    const { hash } = createArgon2Hasher({ atOnce: 1, waiting: 2 }, cheap);
    const three = [hash(secret), hash(secret), hash(secret)];
    expect(await errorOf(hash(secret))).to.be.instanceOf(Unavailable);
    expect(await Promise.all(three)).to.have.lengthOf(3);
  });
});
