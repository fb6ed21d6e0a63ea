import { expect } from 'chai';
import fc from 'fast-check';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { SealedSecret } from '../../../core/webhooks/endpoint.ts';
import { runs } from '../../support/runs.ts';

const [first, second, third] = ['first secret', 'second secret', 'third secret'] as const;

describe('the box of secrets', () => {
  it('opens what it sealed, and never seals twice alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, key) => {
        const box = createSecretBox(key);
        const sealed = box.seal(text);
        expect(box.open(sealed)).to.equal(text);
        expect(createSecretBox(key).open(sealed)).to.equal(text);
        expect(box.seal(text)).to.not.equal(sealed);
      }),
      { numRuns: runs(100) },
    );
  });

  it('hides the secret and the key', () => {
    const sealed = createSecretBox(first).seal('whsec_abc');
    expect(sealed)
      .to.match(/^v1\.[\w-]{8}\.[\w-]+$/)
      .and.to.not.include('whsec');
  });

  it('opens what was sealed with a former key, and seals with the newest', () => {
    const old = createSecretBox(first).seal('a');
    const box = createSecretBox(second, [third, first]);
    expect(box.open(old)).to.equal('a');
    const sealed = box.seal('b');
    expect(createSecretBox(second).open(sealed)).to.equal('b');
    expect(() => createSecretBox(first).open(sealed)).to.throw(Unavailable, 'SECRET_KEY_FORMER');
  });

  it('throws if a sealed secret was changed, at any place', () => {
    const box = createSecretBox(first, [second]);
    const sealed = box.seal('whsec_abc');
    for (let n = 0; n < sealed.length; n++) {
      const other = sealed[n] === 'A' ? 'B' : 'A';
      const changed = `${sealed.slice(0, n)}${other}${sealed.slice(n + 1)}`;
      // The last character may have bits that do not count.
      if (Buffer.from(changed.slice(12), 'base64url').equals(Buffer.from(sealed.slice(12), 'base64url')) && n > 11)
        continue;
      expect(() => box.open(changed as SealedSecret), String(n)).to.throw();
    }
    for (const odd of ['', 'v1', 'v1..', sealed.slice(0, 20)]) expect(() => box.open(odd as SealedSecret)).to.throw();
  });
});
