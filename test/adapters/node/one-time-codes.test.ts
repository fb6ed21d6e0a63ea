import { expect } from 'chai';
import { oneTimeCodes } from '../../../adapters/node/one-time-codes.ts';

/** The secret and the codes of RFC 6238, appendix B, with six digits. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const codes = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
] as const;

describe('one-time codes', () => {
  it('are those of RFC 6238, and are accepted one step early and one step late', () => {
    for (const [seconds, code] of codes) {
      const step = Math.floor(seconds / 30);
      for (const late of [-1, 0, 1]) {
        expect(oneTimeCodes.stepOf(secret, code, (step + late) * 30_000)).to.equal(step);
        expect(oneTimeCodes.stepOf(secret, code, (step + late) * 30_000 + 29_999)).to.equal(step);
      }
      for (const far of [-2, 2]) expect(oneTimeCodes.stepOf(secret, code, (step + far) * 30_000)).to.equal(undefined);
      for (const wrong of ['', '000000', code.slice(1), `${code}0`]) {
        expect(oneTimeCodes.stepOf(secret, wrong, step * 30_000)).to.equal(undefined);
      }
    }
  });

  it('have secrets in base32, and an address that apps read', () => {
    const bytes = new TextEncoder().encode('12345678901234567890');
    expect(oneTimeCodes.secret(bytes)).to.equal(secret);
    const uri = new URL(oneTimeCodes.uri({ secret, account: 'ada+x@example.com', issuer: 'My: Shop' }));
    expect(uri.protocol + uri.host).to.equal('otpauth:totp');
    expect(Object.fromEntries(uri.searchParams)).to.deep.equal({
      issuer: 'My: Shop',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(decodeURIComponent(uri.pathname)).to.include('ada+x@example.com');
  });
});
