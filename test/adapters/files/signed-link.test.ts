import { expect } from 'chai';
import fc from 'fast-check';
import { holderOf, signLink, verifyLink } from '../../../adapters/files/signed-link.ts';
import { createSigner } from '../../../adapters/node/signer.ts';
import { toOrderId } from '../../../core/id.ts';
import { itLong } from '../../support/required-service.ts';

const signer = createSigner('a secret of the tests');
const now = Date.UTC(2026, 10, 20, 12);
const baseUrl = 'https://files.example';
const key = 'products/0af3.zip';

/** Reads a link like the server: the key in the path, and the decoded query. */
function received(link: string) {
  const { pathname, searchParams } = new URL(link);
  return { key: pathname.replace('/files/', ''), query: Object.fromEntries(searchParams) };
}

function verified(link: string, at = now) {
  const { key, query } = received(link);
  return verifyLink(signer, key, query, at);
}

describe('signed link', () => {
  const filename = fc.string({ unit: 'grapheme' });
  const anyKey = fc.stringMatching(/^(?:media|[a-s]+)\/[a-z0-9-]+\.[a-z0-9]+$/);

  it('contains the file, the expiry in whole seconds, and a signature', () => {
    const link = new URL(signLink(signer, baseUrl, key, 'my template.zip', now + 1));
    expect(link.origin + link.pathname).to.equal('https://files.example/files/products/0af3.zip');
    expect([...link.searchParams.keys()]).to.deep.equal(['filename', 'expires', 'signature']);
    expect(link.searchParams.get('filename')).to.equal('my template.zip');
    expect(link.searchParams.get('expires')).to.equal(String(now / 1000 + 1));
  });

  it('says for which order it was made, and is valid for no other, nor without it', () => {
    const { query } = received(signLink(signer, baseUrl, key, 'a.zip', now + 1000, { order: toOrderId(12) }));
    expect([verifyLink(signer, key, query, now), holderOf(query)]).to.deep.equal(['ok', { order: 12 }]);
    const { order: _, ...without } = query;
    const plain = received(signLink(signer, baseUrl, key, 'a.zip', now + 1000)).query;
    for (const other of [without, { ...query, order: '13' }, { ...query, order: '012' }, { ...query, order: 'x' }]) {
      expect(verifyLink(signer, key, other, now)).to.equal('invalid');
    }
    for (const order of ['12', '', ['12']])
      expect(verifyLink(signer, key, { ...plain, order }, now)).to.equal('invalid');
  });

  it('says for which license it was made, and is valid for no other, nor for an order', () => {
    const { query } = received(signLink(signer, baseUrl, key, 'a.zip', now + 1000, { license: 12 }));
    expect([verifyLink(signer, key, query, now), holderOf(query)]).to.deep.equal(['ok', { license: 12 }]);
    const { license: _, ...without } = query;
    const others = [without, { ...query, license: '13' }, { ...query, license: '012' }, { ...query, license: '0' }];
    for (const other of [...others, { ...without, order: '12' }, { ...query, order: '12' }]) {
      expect(verifyLink(signer, key, other, now)).to.equal('invalid');
    }
  });

  it('stays below the path of the public address', () => {
    for (const base of ['https://x.example/shop', 'https://x.example/shop/']) {
      expect(signLink(signer, base, key, 'a', now)).to.match(
        /^https:\/\/x\.example\/shop\/files\/products\/0af3\.zip\?/,
      );
    }
  });

  it('is valid for any key and filename until its expiry, and at most a second longer', () => {
    fc.assert(
      fc.property(anyKey, filename, fc.integer({ min: 1, max: 4_000_000_000_000 }), (file, name, until) => {
        const link = signLink(signer, baseUrl, file, name, until);
        expect(verified(link, until - 1)).to.equal('ok');
        expect(verified(link, Math.ceil(until / 1000) * 1000 - 1)).to.equal('ok');
        expect(verified(link, Math.ceil(until / 1000) * 1000)).to.equal('expired');
        expect(verified(link, until + 1000)).to.equal('expired');
      }),
    );
  });

  itLong('is valid for only one file, one name and one expiry', () => {
    const fields = fc.record({
      file: anyKey,
      name: filename,
      until: fc.nat(4_000_000_000).map((count) => count * 1000),
    });
    fc.assert(
      fc.property(fields, fields, (one, other) => {
        const { query } = received(signLink(signer, baseUrl, one.file, one.name, one.until));
        const changed = {
          filename: { ...query, filename: other.name },
          expires: { ...query, expires: String(other.until / 1000) },
        };
        if (other.file !== one.file) expect(verifyLink(signer, other.file, query, 0)).to.equal('invalid');
        if (other.name !== one.name) expect(verifyLink(signer, one.file, changed.filename, 0)).to.equal('invalid');
        if (other.until !== one.until) expect(verifyLink(signer, one.file, changed.expires, 0)).to.equal('invalid');
      }),
    );
  });

  it('is invalid if text is moved from one field into another', () => {
    for (const seam of ['', '\n', '\n1\n', '\0', '&', '/']) {
      const { query } = received(signLink(signer, baseUrl, 'media/a.b', `1${seam}2`, 1000));
      for (const [file, expires, name] of [
        ['media/a.b', `1${seam}1`, '2'],
        ['media/a.b', `1${seam}1${seam}2`, ''],
        ['media/a.b', '', `1${seam}1${seam}2`],
        ['media/a.b1', '1', `${seam}2`],
        ['media/a.b1', '1', '2'],
        ['media/a', '1', `1${seam}2`],
      ] as const) {
        expect(verifyLink(signer, file, { ...query, expires, filename: name }, 0)).to.equal('invalid');
      }
    }
  });

  it('is invalid for a text that is not a key, even if it was signed', () => {
    for (const file of ['../secret.zip', 'a/../../b.zip', 'a/b', 'tmp/upload.zip', '']) {
      const { query } = received(signLink(signer, baseUrl, file, 'a.zip', now + 1000));
      expect(verifyLink(signer, file, query, now)).to.equal('invalid');
    }
  });

  const { query } = received(signLink(signer, baseUrl, key, 'a.zip', now + 1000));
  const tampered: Record<string, [string, Record<string, unknown>]> = {
    'another key': ['products/0af4.zip', query],
    'a key that leads upwards': ['products/../../secret.zip', query],
    'no key': ['', query],
    'another filename': [key, { ...query, filename: 'a.exe' }],
    'no filename': [key, { ...query, filename: undefined }],
    'a later time': [key, { ...query, expires: String(Number(query.expires) + 1) }],
    'a time in another notation': [key, { ...query, expires: `0${query.expires}` }],
    'no time': [key, { ...query, expires: '' }],
    'a time without end': [key, { ...query, expires: 'Infinity' }],
    'no signature': [key, { ...query, signature: undefined }],
    'an empty signature': [key, { ...query, signature: '' }],
    'half a signature': [key, { ...query, signature: query.signature?.slice(0, 20) }],
    'another signature': [key, { ...query, signature: signer.sign('something else') }],
    'two signatures': [key, { ...query, signature: [query.signature, query.signature] }],
    'two filenames': [key, { ...query, filename: ['a.zip', 'a.zip'] }],
    'the signature of another secret': [
      key,
      received(signLink(createSigner('another secret'), baseUrl, key, 'a.zip', now + 1000)).query,
    ],
  };
  for (const [what, [file, fields]] of Object.entries(tampered)) {
    it(`is invalid with ${what}, before and after the expiry`, () => {
      expect(verifyLink(signer, file, fields, now)).to.equal('invalid');
      expect(verifyLink(signer, file, fields, now + 1_000_000)).to.equal('invalid');
    });
  }

  it('allows additional fields, such as those that mail programs add', () => {
    expect(verifyLink(signer, key, { ...query, utm_source: 'mail' }, now)).to.equal('ok');
  });
});
