import { expect } from 'chai';
import fc from 'fast-check';
import { toOrderId } from '../../../core/id.ts';
import { idOfReference, referenceOf } from '../../../core/purchases/reference.ts';

const ids = fc.integer({ min: 1, max: 32 ** 7 - 1 }).map(toOrderId);

describe('the reference of an order', () => {
  it('leads back to the order, however it is typed', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const reference = referenceOf({ id });
        expect(reference).to.match(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
        const typed = [
          reference,
          ` ${reference.toLowerCase()} `,
          reference.replace('-', ''),
          reference.replace('-', ' '),
          reference.replaceAll('0', 'o').replaceAll('1', 'l'),
        ];
        for (const text of typed) expect(idOfReference(text), text).to.equal(id);
      }),
    );
  });

  it('refers to no order if one character is wrong, or two are swapped', () => {
    const character = fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    const place = fc.nat({ max: 7 });
    fc.assert(
      fc.property(ids, place, place, character, (id, one, other, wrong) => {
        const right = [...referenceOf({ id }).replace('-', '')];
        const changed = right.with(one, wrong);
        const swapped = right.with(one, right[other] ?? '').with(other, right[one] ?? '');
        for (const text of [changed.join(''), swapped.join('')]) {
          expect(idOfReference(text), text).to.equal(text === right.join('') ? id : undefined);
        }
      }),
    );
  });

  it('is no number, no license key, no address and no title', () => {
    for (const text of [
      '',
      '1',
      '12345',
      'LIC-7H2K-9QWX-M4TB-C0VJ',
      'zoe@example.com',
      '7F3K--29Q',
      'UUUU-UUUU',
      'é'.repeat(8),
    ]) {
      expect(idOfReference(text), text).to.equal(undefined);
    }
  });

  it('does not tell how many orders there are', () => {
    const [first, second] = [referenceOf({ id: toOrderId(1) }), referenceOf({ id: toOrderId(2) })];
    const same = [...first].filter((character, at) => character === second[at]);
    expect(same.length, `${first} ${second}`).to.be.below(5);
  });
});
