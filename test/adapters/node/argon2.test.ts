import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect } from 'chai';
import { createArgon2Hasher } from '../../../adapters/node/argon2.ts';
import { type Password, toPassword } from '../../../core/accounts/password.ts';
import { TooMuchAtOnce, Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const limits = { atOnce: 2, waiting: 100, waitingOfOne: 100 };
const address = '203.0.113.7';
const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 };
const secret = word('correct horse battery');

function word(text: string): Password {
  const password = toPassword(text);
  if (password === undefined) throw new Error('The password is too long.');
  return password;
}

describe('argon2 hasher', () => {
  itLong('makes PHC strings of argon2id with 19 MiB, two passes, one lane and a salt of their own', async () => {
    const { hash } = createArgon2Hasher(limits);
    const [one, two] = await Promise.all([hash(secret, address), hash(secret, address)]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).to.not.equal(two);
  });

  it('knows the right password from all others, and nobody by any password', async () => {
    const { hash, verify } = createArgon2Hasher(limits, cheap);
    const stored = await hash(secret, address);
    expect(await verify(stored, secret, address)).to.equal('right');
    for (const other of ['correct horse batterY', 'correct horse batter', '', '\0']) {
      expect(await verify(stored, word(other), address)).to.equal('wrong');
      expect(await verify(undefined, word(other), address)).to.equal('wrong');
    }
    const long = 'ü'.repeat(256);
    const hashed = await hash(word(long), address);
    expect(await verify(hashed, word(long), address)).to.equal('right');
    expect(await verify(hashed, word(`${long.slice(1)}u`), address), 'the last character counts').to.equal('wrong');
  });

  it('says that a hash with other parameters is outdated', async () => {
    const now = createArgon2Hasher(limits, cheap);
    for (const change of [{ memoryCost: 65 }, { timeCost: 2 }, { parallelism: 2 }]) {
      const stored = await createArgon2Hasher(limits, { ...cheap, ...change }).hash(secret, address);
      expect(await now.verify(stored, secret, address)).to.equal('outdated');
      expect(await now.verify(stored, word('wrong password'), address)).to.equal('wrong');
    }
  });

  it('hashes for an unknown account too, so that it takes as long as a wrong password', async () => {
    const { verify } = createArgon2Hasher({ ...limits, atOnce: 1, waiting: 0 }, cheap);
    const unknown = verify(undefined, secret, address);
    expect(await errorOf(verify(undefined, secret, address)), 'while the first is hashed').to.be.instanceOf(
      Unavailable,
    );
    expect(await unknown).to.equal('wrong');
  });

  it('refuses more hashes than may run and wait', async () => {
    const { hash } = createArgon2Hasher({ ...limits, atOnce: 1, waiting: 2 }, cheap);
    const three = [hash(secret, address), hash(secret, address), hash(secret, address)];
    expect(await errorOf(hash(secret, address))).to.be.instanceOf(Unavailable);
    expect(await Promise.all(three)).to.have.lengthOf(3);
  });

  it('serves others while one IPv6 /48 has more hashes than may wait, and refuses only that network', async () => {
    const { hash, verify } = createArgon2Hasher({ atOnce: 1, waiting: 100, waitingOfOne: 3 }, cheap);
    const stored = await hash(secret, address);
    const ended: string[] = [];
    const ending = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name));
    const flood = ['', '1', '2', '3'].map((n) => ending('flood', verify(stored, secret, `2001:db8:7:${n}::/64`)));
    expect(await errorOf(verify(stored, secret, '2001:db8:7:ffff::/64'))).to.be.instanceOf(TooMuchAtOnce);
    const other = ending('other', verify(stored, secret, '2001:db8:8:1::/64'));
    await Promise.all([...flood, other]);
    expect(ended.indexOf('other')).to.be.lessThan(3);
  });

  it('uses no thread of the pool that files and SQLite share', async () => {
    // All threads of the pool are busy until the pipe has a writer.
    const folder = await makeTemporaryFolder();
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const readers = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, () => open(pipe, 'r'));
    const { hash, verify } = createArgon2Hasher(limits, cheap);
    expect(await verify(await hash(secret, address), secret, address)).to.equal('right');
    closeSync(openSync(pipe, 'w'));
    for (const file of await Promise.all(readers)) await file.close();
    await folder.remove();
  });

  it('throws for a stored text that is no hash, and goes on', async () => {
    const { hash, verify } = createArgon2Hasher(limits, cheap);
    expect(await errorOf(verify('nonsense', secret, address))).to.be.instanceOf(Error);
    expect(await verify(await hash(secret, address), secret, address)).to.equal('right');
  });
});
