import { expect } from 'chai';
import fc from 'fast-check';
import { aliasKinds, foldedAlias, parseAlias, parseForeignAlias, writtenAs } from '../../../core/licensing/alias.ts';
import { must } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const kinds = Object.keys(aliasKinds) as (keyof typeof aliasKinds)[];

describe('aliases', () => {
  it('have 8 to 128 printable characters, without the blanks around them and without line breaks', () => {
    expect(parseAlias('1234567')).to.equal(undefined);
    expect(parseAlias('12345678')).to.equal('12345678');
    expect(parseAlias('  1234 5678 \n')).to.equal('1234 5678');
    expect(parseAlias('1234-\r\n  5678')).to.equal('1234-5678');
    expect(parseAlias('ü'.repeat(128))).to.equal('ü'.repeat(128));
    expect(parseAlias('ü'.repeat(129))).to.equal(undefined);
    for (const hidden of ['\0', '\u0007', '\u200b', '\u202e', '\ud800', '\u2028'])
      expect(parseAlias(`1234${hidden}5678`), JSON.stringify(hidden)).to.equal(undefined);
  });

  it('are the same in both Unicode forms', () => {
    expect(parseAlias('cafe\u0301-1234')).to.equal(parseAlias('caf\u00e9-1234'));
  });

  it('that people add are no license keys of this service', () => {
    for (const text of [
      ...[
        'lic-7H2K-9QWX-M4TB-C0VJ',
        'LIC-7H2K-9QWX-M4TB -C0VJ',
        'L IC-7H2K-9QWX-M4TB-C0VJ',
        'LIC-7H2\u212A-9QWX-M4TB-C0VJ',
      ],
      ...['LIC-7H2K-9QWX\u00A0-M4TB-C0VJ', 'LIC\t-7H2K-9QWX-M4TB-C0VJ'],
    ])
      expect(parseForeignAlias(text), text).to.equal(undefined);
    expect(parseForeignAlias('38b1460a-5104-4067-a91d-77b872934d51')).to.not.equal(undefined);
  });

  it('are compared as their kind must be written', () => {
    const [upper, lower] = [must(parseAlias('AB12 CD34')), must(parseAlias('ab12cd34'))];
    const forgiving = kinds.filter((kind) => writtenAs(upper, kind) === writtenAs(lower, kind));
    expect(forgiving).to.deep.equal(['lemonsqueezy', 'edd', 'gumroad']);
    const compact = must(parseAlias('AB12CD34'));
    const withoutCase = kinds.filter((kind) => writtenAs(compact, kind) === writtenAs(lower, kind));
    expect(withoutCase).to.deep.equal(['former', 'lemonsqueezy', 'edd', 'gumroad', 'slm']);
  });

  it('that are written the same are found by the same text', () => {
    const text = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' });
    const written = fc.constantFrom<(text: string) => string>(
      (one) => one,
      (one) => one.toUpperCase(),
      (one) => one.replaceAll(' ', ''),
      (one) => `\n ${one} `,
    );
    fc.assert(
      fc.property(text, written, fc.constantFrom(...kinds), (one, write, kind) => {
        const [a, b] = [parseAlias(one), parseAlias(write(one))];
        fc.pre(a !== undefined && b !== undefined);
        if (writtenAs(a, kind) === writtenAs(b, kind)) expect(foldedAlias(a)).to.equal(foldedAlias(b));
        // Reading what was read changes nothing.
        expect(parseAlias(a)).to.equal(a);
      }),
      { numRuns: runs(200) },
    );
  });
});
