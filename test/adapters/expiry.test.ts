import { expect } from 'chai';
import { parseExpiry } from '../../adapters/expiry.ts';

const now = Date.parse('2028-02-29T10:30:00.250Z');

function parsed(text: string): string | null | undefined {
  const instant = parseExpiry(text, now);
  return typeof instant === 'number' ? new Date(instant).toISOString() : instant;
}

describe('an expiry in a command', () => {
  const meanings: Record<string, string | null> = {
    never: null,
    '2030-01-31': '2030-01-31T23:59:59.999Z',
    ' 2030-01-31 ': '2030-01-31T23:59:59.999Z',
    '2032-02-29': '2032-02-29T23:59:59.999Z',
    '2020-01-01': '2020-01-01T23:59:59.999Z',
    '9999-12-31': '9999-12-31T23:59:59.999Z',
    '2030-01-31T12:30': '2030-01-31T12:30:00.000Z',
    '2030-01-31T12:30:15': '2030-01-31T12:30:15.000Z',
    '2030-01-31T12:30:15Z': '2030-01-31T12:30:15.000Z',
    '2030-01-31T12:30:15.125Z': '2030-01-31T12:30:15.125Z',
    '2030-01-31T01:30:00+02:00': '2030-01-30T23:30:00.000Z',
    '30d': '2028-03-30T10:30:00.250Z',
    '2w': '2028-03-14T10:30:00.250Z',
    '4y': '2032-02-29T10:30:00.250Z',
  };
  for (const [text, meaning] of Object.entries(meanings)) {
    it(`\`${text}\` means ${meaning ?? 'that it never expires'}`, () => expect(parsed(text)).to.equal(meaning));
  }

  it('a date means the end of its day, so that a license is valid all day long', () => {
    expect(parsed('2028-02-29')).to.equal('2028-02-29T23:59:59.999Z');
  });

  it('one year after 29 February is 28 February', () => expect(parsed('1y')).to.equal('2029-02-28T10:30:00.250Z'));

  it('a text means the same in every time zone', () => {
    const zone = process.env.TZ;
    try {
      for (const TZ of ['Pacific/Kiritimati', 'America/New_York']) {
        process.env.TZ = TZ;
        for (const [text, meaning] of Object.entries(meanings))
          expect(parsed(text), `${text} in ${TZ}`).to.equal(meaning);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  const wrong = [
    ...['', '2026-02-31', '2027-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '31.01.2030', '1893456000', '20300131'],
    ...['2030-01-31T25:00:00Z', '2030-01-31T12:60:00Z', '2030-01-31 12:00', '2030-01-31T12:00:00+99:00', 'tomorrow'],
    ...['1m', '1h', 'd', '1.5d', '-1d', '+1d', '1 d', '30D', '１d', '9999999d', '9000y', '9999999y', 'Never', 'null'],
  ];
  it('anything else is refused: days that do not exist, other units, other formats, the far future', () => {
    for (const text of wrong) expect(parsed(text), text).to.equal(undefined);
  });
});
