import { expect } from 'chai';
import fc from 'fast-check';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import {
  type ApiKey,
  isGood,
  keyModes,
  keyStateOf,
  looksLikeApiKey,
  mintApiKey,
  visibleParts,
} from '../../../core/accounts/api-key.ts';
import { toApiKeyId, toUserId } from '../../../core/id.ts';
import { runs } from '../../support/runs.ts';
import { anyText } from '../texts.ts';

const mode = fc.constantFrom(...keyModes);
const service = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
const secretsThatGive = (bytes: Uint8Array) => ({ ...systemSecrets, bytes: () => bytes });
const random = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('an API key', () => {
  it('consists of the service, sk, the mode and 32 random lower-case hexadecimal characters', () => {
    fc.assert(
      fc.property(service, mode, random, (name, mode, bytes) => {
        const key = mintApiKey(name, mode, secretsThatGive(bytes));
        expect(key).to.equal(`${name}_sk_${mode}_${Buffer.from(bytes).toString('hex')}`);
        expect(looksLikeApiKey(name, key)).to.equal(true);
      }),
    );
  });

  it('can be distinguished from every other text without a look-up', () => {
    const right = /^lk_sk_(live|test)_[0-9a-f]{32}$/;
    const digit = fc.oneof({ weight: 60, arbitrary: fc.constantFrom('0', '9', 'a', 'f') }, fc.constantFrom('F', 'g'));
    const near = fc
      .tuple(
        fc.constantFrom('lk', 'lk', 'LK', '', 'lk_lk'),
        fc.constantFrom('_sk_', '_sk_', '_SK_', '_'),
        fc.constantFrom('live', 'test', 'Live', ''),
        fc.constantFrom('_', '_', ''),
        fc.string({ unit: digit, minLength: 31, maxLength: 33 }),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(anyText, near), (text) => {
        expect(looksLikeApiKey('lk', text)).to.equal(right.test(text));
      }),
      { numRuns: runs(1000) },
    );
    const good = `lk_sk_live_${'0123456789abcdef'.repeat(2)}`;
    expect(looksLikeApiKey('lk', good)).to.equal(true);
    for (const bad of [` ${good}`, `${good}\n`, good.toUpperCase(), good.slice(1), `${good}0`, `x_${good}`]) {
      expect(looksLikeApiKey('lk', bad), bad).to.equal(false);
    }
    expect(looksLikeApiKey('other', good)).to.equal(false);
  });

  it('is shown with no more than eight of its 32 random characters', () => {
    fc.assert(
      fc.property(service, mode, random, (name, mode, bytes) => {
        const key = mintApiKey(name, mode, secretsThatGive(bytes));
        const hex = Buffer.from(bytes).toString('hex');
        expect(visibleParts(key)).to.deep.equal({
          prefix: `${name}_sk_${mode}_${hex.slice(0, 4)}`,
          lastFour: hex.slice(-4),
        });
      }),
    );
  });

  it('is valid until the exact millisecond of its expiry, and never after it was revoked', () => {
    const key: ApiKey = {
      id: toApiKeyId(1),
      userId: toUserId(1),
      name: 'test',
      mode: 'live',
      scopes: null,
      digest: '',
      prefix: '',
      lastFour: '',
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      lastUsedAt: null,
    };
    expect(isGood(key, Number.MAX_SAFE_INTEGER)).to.equal(true);
    expect(isGood({ ...key, expiresAt: 1000 }, 999)).to.equal(true);
    expect(isGood({ ...key, expiresAt: 1000 }, 1000)).to.equal(false);
    expect(isGood({ ...key, revokedAt: 5 }, 1)).to.equal(false);
    expect(isGood({ ...key, revokedAt: 0, expiresAt: 1000 }, 999)).to.equal(false);
  });

  it('is active or ending while it works, and revoked or expired afterwards', () => {
    const key: ApiKey = {
      ...{ id: toApiKeyId(1), userId: toUserId(1), name: 'CI', mode: 'live', scopes: null, digest: '', prefix: '' },
      ...{ lastFour: '', createdAt: 0, expiresAt: 1000, revokedAt: null, replacedBy: null, lastUsedAt: null },
    };
    const replaced = { ...key, replacedBy: toApiKeyId(2) };
    expect(keyStateOf(key, 999)).to.equal('active');
    expect(keyStateOf(replaced, 999)).to.equal('ending');
    expect([keyStateOf(key, 1000), keyStateOf(replaced, 1000)]).to.deep.equal(['expired', 'expired']);
    expect([keyStateOf({ ...key, revokedAt: 5 }, 9), keyStateOf({ ...replaced, revokedAt: 5 }, 2000)]).to.deep.equal([
      'revoked',
      'revoked',
    ]);
  });
});
