import { expect } from 'chai';
import fc from 'fast-check';
import { oneTimeCodes } from '../../../adapters/node/one-time-codes.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import {
  looksLikeSecret,
  mintRecoveryCodes,
  mintSecret,
  recoveryCodeCount,
  type SecondFactor,
  useCode,
} from '../../../core/accounts/second-factor.ts';
import { codeAt } from '../../support/sign-in.ts';

const ports = { codes: oneTimeCodes, secrets: systemSecrets };
const step = 30_000;
const start = 1_000 * step;

describe('second factor', () => {
  it('accepts the code of each step at most once, whatever the order of tries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.integer({ min: 0, max: 2 * step }), drift: fc.integer({ min: -2, max: 2 }) }), {
          maxLength: 20,
        }),
        (tries) => {
          let factor: SecondFactor = {
            secret: mintSecret(oneTimeCodes, systemSecrets),
            lastStep: 0,
            recoveryDigests: [],
          };
          const used = new Set<number>();
          let now = start;
          for (const { wait, drift } of tries) {
            now += wait;
            const meant = Math.floor(now / step) + drift;
            const after = useCode(factor, codeAt(factor.secret, meant * step), ports, now);
            if (after === undefined) continue;
            expect(Math.abs(drift)).to.be.at.most(1);
            expect(after.lastStep).to.be.above(factor.lastStep);
            expect(used.has(meant)).to.equal(false);
            used.add(meant);
            factor = after;
          }
        },
      ),
    );
  });

  it('accepts the present code, with gaps as apps show it', () => {
    const secret = mintSecret(oneTimeCodes, systemSecrets);
    expect(looksLikeSecret(secret)).to.equal(true);
    const factor = { secret, lastStep: 0, recoveryDigests: [] };
    const code = codeAt(secret, start);
    expect(useCode(factor, `${code.slice(0, 3)} ${code.slice(3)} `, ports, start)).to.deep.equal({
      ...factor,
      lastStep: 1_000,
    });
    for (const wrong of ['', '123', `${code}0`, 'abcdef']) {
      expect(useCode(factor, wrong, ports, start)).to.equal(undefined);
    }
  });

  it('accepts each recovery code once, in any spelling, and stores none of them', () => {
    const { shown, digests } = mintRecoveryCodes(systemSecrets);
    expect([new Set(shown).size, new Set(digests).size]).to.deep.equal([recoveryCodeCount, recoveryCodeCount]);
    let factor: SecondFactor = { secret: 'S', lastStep: 0, recoveryDigests: digests };
    for (const [n, code] of shown.entries()) {
      expect(code).to.match(/^(?:[0-9a-f]{4}-){4}[0-9a-f]{4}$/);
      expect(JSON.stringify(digests)).to.not.include(code.replaceAll('-', ''));
      const after = useCode(factor, n % 2 ? code.toUpperCase() : ` ${code.replaceAll('-', ' ')} `, ports, start);
      if (after === undefined) throw new Error('The code is not accepted.');
      expect(after.recoveryDigests).to.deep.equal(digests.slice(n + 1));
      expect(useCode(after, code, ports, start)).to.equal(undefined);
      factor = after;
    }
  });
});
