import { expect } from 'chai';
import fc from 'fast-check';
import {
  hasValidCheckCharacter,
  type LicenseKey,
  mintLicenseKey,
  parseLicenseKey,
  shortenLicenseKey,
} from '../../../core/licensing/license-key.ts';
import { runs } from '../../support/runs.ts';
import { anyText } from '../texts.ts';

const crockford = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
const fifteenBytes = fc.uint8Array({ minLength: 15, maxLength: 15 });
const minted = fifteenBytes.map(mint);
/** A key of another system, with any letters and digits. */
const foreign = fc
  .string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), minLength: 16, maxLength: 16 })
  .map(keyOf);
const anyKey = fc.oneof(minted, foreign);
const examples = [0, 1, 31, 85, 170, 255].map((byte) => mint(new Uint8Array(15).fill(byte)));

function mint(bytes: Uint8Array): LicenseKey {
  return mintLicenseKey({
    bytes: (count) => {
      expect(count).to.equal(bytes.length);
      return bytes;
    },
  });
}

/** Formats sixteen characters as a key. */
function keyOf(characters: string | readonly string[]): string {
  return `LIC-${([...characters].join('').match(/.{4}/gu) ?? []).join('-')}`;
}

function charactersOf(key: string): string[] {
  return [...key.slice(4).replaceAll('-', '')];
}

function parsed(text: string): LicenseKey {
  const key = parseLicenseKey(text);
  if (key === undefined) throw new Error(`${text} is not the text of a key`);
  return key;
}

/** Returns all keys that differ from this one by one character of Crockford's alphabet. */
function slipsOf(key: string): LicenseKey[] {
  const characters = charactersOf(key);
  return characters.flatMap((right, position) =>
    crockford.filter((wrong) => wrong !== right).map((wrong) => parsed(keyOf(characters.with(position, wrong)))),
  );
}

/** Returns all keys in which two neighbours of this one are swapped. */
function swapsOf(key: string): LicenseKey[] {
  const characters = charactersOf(key);
  return characters.flatMap((left, position) => {
    const right = characters[position + 1];
    if (right === undefined || right === left) return [];
    return [parsed(keyOf(characters.with(position, right).with(position + 1, left)))];
  });
}

describe('mintLicenseKey', () => {
  it('makes `LIC-` and four groups of four characters of Crockford’s base32; the last character checks the others', () => {
    fc.assert(
      fc.property(minted, (key) => {
        expect(key).to.match(/^LIC(?:-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
        expect(hasValidCheckCharacter(key)).to.equal(true);
      }),
    );
  });

  it('uses five bits of each of fifteen random bytes', () => {
    fc.assert(
      fc.property(fifteenBytes, (bytes) => {
        const digits = charactersOf(mint(bytes)).map((character) => crockford.indexOf(character));
        expect(digits.slice(0, 15)).to.deep.equal(Array.from(bytes, (byte) => byte & 31));
      }),
    );
  });

  it('makes the same key from the same bytes in every release, so that existing keys stay valid', () => {
    const bytes = Uint8Array.from({ length: 15 }, (_, index) => index * 17);
    expect(mint(bytes)).to.equal('LIC-0H2K-4N6Q-8SAV-CXES');
    expect(mint(new Uint8Array(15))).to.equal('LIC-0000-0000-0000-0000');
  });
});

describe('hasValidCheckCharacter', () => {
  it('detects every wrong character in each of the sixteen places of example keys', () => {
    for (const key of examples) {
      const slips = slipsOf(key);
      expect(slips).to.have.lengthOf(16 * 31);
      expect(slips.filter(hasValidCheckCharacter), `slips of ${key}`).to.deep.equal([]);
    }
  });

  it('detects every wrong character in any generated key', () => {
    fc.assert(
      fc.property(minted, (key) => {
        expect(slipsOf(key).filter(hasValidCheckCharacter)).to.deep.equal([]);
      }),
    );
  });

  it('detects every swap of two different neighbours in any generated key, also across hyphens', () => {
    fc.assert(
      fc.property(minted, (key) => {
        expect(swapsOf(key).filter(hasValidCheckCharacter)).to.deep.equal([]);
      }),
    );
  });

  it('detects the swap of any two neighbouring characters in every place', () => {
    const rest = mint(Uint8Array.from({ length: 15 }, (_, index) => index));
    for (const one of crockford) {
      for (let position = 0; position < 14; position++) {
        const digits = charactersOf(rest).map((character) => crockford.indexOf(character));
        const bytes = Uint8Array.from(digits.slice(0, 15).with(position, crockford.indexOf(one)));
        const key = mint(bytes);
        expect(swapsOf(key).filter(hasValidCheckCharacter), `swaps in ${key}`).to.deep.equal([]);
      }
    }
  });

  it('accepts exactly one of the 32 characters in the last place', () => {
    fc.assert(
      fc.property(minted, (key) => {
        const last = crockford.map((character) => parsed(key.slice(0, -1) + character));
        expect(last.filter(hasValidCheckCharacter)).to.deep.equal([key]);
      }),
    );
  });

  it('refuses a key with a letter that is not in Crockford’s alphabet, in every place', () => {
    for (const letter of 'ILOU') {
      for (let position = 0; position < 16; position++) {
        const key = parsed(keyOf(charactersOf(examples[2] ?? '').with(position, letter)));
        expect(hasValidCheckCharacter(key), key).to.equal(false);
      }
    }
  });
});

describe('parseLicenseKey', () => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u3000'), maxLength: 4 });
  const lineBreak = fc
    .tuple(
      fc.constantFrom('', ' ', '\t '),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n'),
      fc.constantFrom('', '  ', '\t'),
    )
    .map((parts) => parts.join(''));

  it('returns a canonical key unchanged', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(parseLicenseKey(key)).to.equal(key);
      }),
    );
  });

  it('corrects lower case, and removes surrounding blanks and inner line breaks', () => {
    fc.assert(
      fc.property(
        anyKey.chain((key) => fc.tuple(fc.constant(key), fc.mixedCase(fc.constant(key)))),
        fc.tuple(blanks, blanks),
        fc.nat({ max: 23 }),
        fc.option(lineBreak, { nil: '' }),
        ([key, spelled], [before, after], place, broken) => {
          const text = before + spelled.slice(0, place) + broken + spelled.slice(place) + after;
          expect(parseLicenseKey(text)).to.equal(key);
        },
      ),
    );
  });

  it('accepts a key of another system, even if its check character is wrong', () => {
    for (const text of ['LIC-ABCD-EFGH-IJKL-MNOP', 'LIC-OOOO-OOOO-OOOO-OOOO', 'LIC-1234-5678-9012-3456']) {
      expect(hasValidCheckCharacter(parsed(text)), text).to.equal(false);
      expect(parseLicenseKey(text)).to.equal(text);
    }
  });

  it('returns only canonical keys, for any text', () => {
    const nearly = fc
      .tuple(anyKey, fc.nat({ max: 23 }), fc.nat({ max: 2 }), anyText)
      .map(([key, place, length, text]) => key.slice(0, place) + text + key.slice(place + length));
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        const key = parseLicenseKey(text);
        if (key === undefined) return;
        expect(key).to.match(/^LIC-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}$/);
        expect(key).to.equal(text.replace(/\s/g, '').toUpperCase());
      }),
      { numRuns: runs(1000) },
    );
  });

  const garbage = [
    ...['', ' ', 'LIC', 'LIC-', 'LIC----', 'null', 'undefined', '0', '-', '\0', '\ud800'],
    ...['LIC-ABCD-EFGH-JKMN', 'LIC-ABCD-EFGH-JKMN-PQR', 'LIC-ABCD-EFGH-JKMN-PQRST', 'LIC-ABCD-EFGH-JKMN-PQRS-TVWX'],
    ...[
      'ABCD-EFGH-JKMN-PQRS',
      'LIX-ABCD-EFGH-JKMN-PQRS',
      'LIC-ABCDE-FGH-JKMN-PQRS',
      'LICABCDEFGHJKMNPQRS',
      'XLIC-ABCD-EFGH-JKMN-PQRS',
    ],
    ...[
      'LIC_ABCD_EFGH_JKMN_PQRS',
      'LIC ABCD EFGH JKMN PQRS',
      'LIC-AB D-EFGH-JKMN-PQRS',
      'LIC-ABCD -EFGH-JKMN-PQRS',
      'LIC-AB\tCD-EFGH-JKMN-PQRS',
    ],
    ...['LIC-ABC*-EFGH-JKMN-PQRS', "LIC-ABC'-EFGH-JKMN-PQRS", 'LIC-ABC%-EFGH-JKMN-PQRS', 'LIC-ABC\0-EFGH-JKMN-PQRS'],
  ];
  const lookAlikes = [
    ...[
      'LIC-ABCſ-EFGH-JKMN-PQRS',
      'LıC-ABCD-EFGH-JKMN-PQRS',
      'LİC-ABCD-EFGH-JKMN-PQRS',
      'LIC-ABC\u212a-EFGH-JKMN-PQRS',
    ],
    ...[
      'ＬＩＣ-ABCD-EFGH-JKMN-PQRS',
      'LIC-ＡBCD-EFGH-JKMN-PQRS',
      'LIC-ABCD-EFGH-JKMN-PQR１',
      'LIC-ABC\u0391-EFGH-JKMN-PQRS',
      'LIC-ABC\u0430-EFGH-JKMN-PQRS',
    ],
    ...[
      'LIC－ABCD－EFGH－JKMN－PQRS',
      'LIC\u2010ABCD\u2010EFGH\u2010JKMN\u2010PQRS',
      'LIC–ABCD–EFGH–JKMN–PQRS',
      'LIC-ABC\u0661-EFGH-JKMN-PQRS',
    ],
    ...[
      'LIC-AB\u200bCD-EFGH-JKMN-PQRS',
      'LIC-ABCD-EFGH-JKMN-PQR\u0301S',
      'LIC-ABß-EFGH-JKMN-PQRS',
      'LIC-A\ufb00D-EFGH-JKMN-PQRS',
    ],
  ];
  it('refuses garbage, and keys with another length or grouping', () => {
    for (const text of garbage) expect(parseLicenseKey(text), JSON.stringify(text)).to.equal(undefined);
  });

  it('refuses letters, digits and hyphens that only look like those of a key', () => {
    for (const text of lookAlikes) expect(parseLicenseKey(text), JSON.stringify(text)).to.equal(undefined);
  });
});

describe('shortenLicenseKey', () => {
  it('shows only the first two characters after `LIC-` and the last two characters of a key', () => {
    expect(shortenLicenseKey('LIC-ABCD-EFGH-JKMN-PQRS')).to.equal('LIC-AB…RS');
  });

  it('shows the ends of a key of another system, and nothing of a short one', () => {
    for (const [text, shown] of [
      ['38b1460a-5104-4067-a91d-77b872934d51', '38b1…51'],
      ['ABCD-ef12', '…'],
      ['12345678901', '…'],
      ['123456789012', '12…2'],
      ['1234567890123456', '123…6'],
      [' 1234 5678 9012 \n', '12…2'],
      [`1234567${' '.repeat(90)}8`, '…'],
      ['🦄'.repeat(12), '🦄🦄…🦄'],
      ['', '…'],
    ] as const) {
      expect(shortenLicenseKey(text), text).to.equal(shown);
    }
  });

  it('never shows more than six characters and a quarter of a text that is no key', () => {
    const long = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.oneof(long, anyText), (text) => {
        fc.pre(!text.includes('…') && parseLicenseKey(text) === undefined);
        const [start = '', end = '', ...more] = shortenLicenseKey(text).split('…');
        expect(more).to.deep.equal([]);
        const written = text.replace(/\s/gu, '');
        expect(written.startsWith(start) && written.endsWith(end)).to.equal(true);
        const shown = [...start, ...end].length;
        expect(shown).to.be.at.most(Math.min(6, [...written].length / 4));
        if ([...written].length < 12) expect(shown).to.equal(0);
      }),
    );
  });
});
