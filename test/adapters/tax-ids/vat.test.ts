import { expect } from 'chai';
import { checkTaxId } from '../../../adapters/tax-ids/vat.ts';
import { isRefused } from '../../../core/refusal.ts';

describe('the check of VAT ids', () => {
  it('returns a right id as its country writes it, also without the prefix', () => {
    for (const [country, typed, expected] of [
      ['DE', 'de 136 695 976', 'DE136695976'],
      ['DE', '136695976', 'DE136695976'],
      ['AT', 'ATU13585627', 'ATU13585627'],
      ['GR', '094259216', 'EL094259216'],
      ['FR', 'FR 40 303265045', 'FR40303265045'],
      ['GB', '434 0314 94', 'GB434031494'],
      ['CH', 'CHE-107.787.577 MWST', 'CHE107787577MWST'],
      // A company can have the id of another country.
      ['FR', 'DE136695976', 'DE136695976'],
    ] as const) {
      expect(checkTaxId(country, typed), typed).to.equal(expected);
    }
  });

  it('refuses a wrong check digit and a wrong form', () => {
    for (const [country, typed] of [
      ['DE', 'DE123456789'],
      ['DE', '12/345/67890'],
      ['IT', 'IT00743110158'],
      ['NL', '=1+1'],
      ['CH', 'CHE123'],
    ] as const) {
      expect(isRefused(checkTaxId(country, typed)), typed).to.equal(true);
    }
  });

  it('leaves ids of other countries as they are', () => {
    expect(checkTaxId('US', '12-3456789')).to.equal('12-3456789');
    expect(checkTaxId('AU', '53 004 085 616')).to.equal('53 004 085 616');
  });
});
