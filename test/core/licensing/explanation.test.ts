import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId, toUserId } from '../../../core/id.ts';
import { explain } from '../../../core/licensing/explanation.ts';
import { type License, neverActivated, standings } from '../../../core/licensing/license.ts';
import { verify } from '../../../core/licensing/verdict.ts';
import { isRefused } from '../../../core/refusal.ts';
import { domain, keyNumber, issuedAt as now } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const fresh: License = {
  ...neverActivated,
  key: keyNumber(1),
  productId: toProductId(7),
  ownerId: toUserId(4),
  isLive: true,
  standing: 'active',
  maxDomains: 3,
  expiresAt: null,
  createdAt: now,
};
const shop = domain('shop.example');
const twins = { wwwIsApex: true };
const strict = { wwwIsApex: false };
const lasting = { domain: shop, endsAt: null };

/** The rules that are not passed. */
const failed = ({ rules }: ReturnType<typeof explain>) => rules.filter((one) => !one.isPassed).map(({ rule }) => rule);
const fixOf = (explanation: ReturnType<typeof explain>, wanted: string) =>
  explanation.rules.find(({ rule }) => rule === wanted)?.fix;

const licenses = fc.record({
  standing: fc.constantFrom(...standings),
  ownStanding: fc.constantFrom(null, ...standings),
  expiresAt: fc.constantFrom(null, now - 1, now, now + 1),
  domainsUsed: fc.constantFrom(0, 1, 3),
});
const activations = fc.array(
  fc.record({
    domain: fc.constantFrom(shop, domain('www.shop.example'), domain('blog.example')),
    endsAt: fc.constantFrom(null, now, now + 1),
  }),
);
const texts = fc.constantFrom('shop.example', 'https://www.shop.example/a', 'blog.example', 'other.example', '', '*.a');

describe('the explanation of a license', () => {
  it('is the refusal of a verification, and passes all rules exactly if there is none', () => {
    fc.assert(
      fc.property(licenses, activations, texts, fc.boolean(), (its, activated, text, wwwIsApex) => {
        const license = { ...fresh, ...its };
        const explained = explain(license, { wwwIsApex }, text, activated, now);
        expect(failed(explained).length === 0).to.equal(explained.refusal === undefined);
        for (const { isPassed, fix } of explained.rules) expect(fix === null).to.equal(isPassed);
        if (explained.domain === undefined) {
          expect(explained.refusal).to.equal('illegal_domain');
          return;
        }
        const names = [explained.domain, ...(wwwIsApex ? [twin(explained.domain)] : [])];
        const verdicts = activated
          .filter((one) => names.includes(one.domain))
          .map((one) => verify(license, one, now))
          .concat(verify(license, undefined, now));
        const verdict = verdicts.find((one) => !isRefused(one)) ?? verdicts[0];
        expect(explained.refusal).to.equal(verdict && isRefused(verdict) ? verdict.reason : undefined);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('names the first reason, and every rule that is not passed', () => {
    const license = { ...fresh, standing: 'revoked', expiresAt: now } as const;
    const explained = explain(license, strict, 'shop.example', [], now);
    expect(explained.refusal).to.equal('revoked');
    expect(failed(explained)).to.deep.equal(['not_revoked', 'not_expired', 'domain_activated']);
  });

  it('tells what helps if a payment stops the license, and if people do', () => {
    const withheld = { ...fresh, standing: 'suspended', ownStanding: 'active' } as const;
    const stopped = { ...fresh, standing: 'suspended' } as const;
    expect(fixOf(explain(withheld, strict, 'shop.example', [lasting], now), 'not_suspended')).to.include('payment');
    expect(fixOf(explain(stopped, strict, 'shop.example', [lasting], now), 'not_suspended')).to.equal(
      'Reinstate the license.',
    );
  });

  it('finds a host by its twin only if the product has them as one domain', () => {
    expect(explain(fresh, twins, 'www.shop.example', [lasting], now)).to.include({ refusal: undefined });
    const explained = explain(fresh, strict, 'www.shop.example', [lasting], now);
    expect(explained.refusal).to.equal('invalid_domain');
    expect(explained.nearest).to.include({ domain: shop, resemblance: 'www' });
    expect(fixOf(explained, 'domain_activated')).to.equal(
      'The license is activated on shop.example. If you mean this domain, correct the address. If not, activate the license on www.shop.example.',
    );
  });

  it('does not suggest a host that has ended, and says if there is no slot left', () => {
    const full = { ...fresh, domainsUsed: 3 };
    const explained = explain(full, strict, 'www.shop.example', [{ domain: shop, endsAt: now }], now);
    expect(explained.nearest).to.equal(undefined);
    expect(fixOf(explained, 'domain_activated')).to.equal(
      'Remove a domain or allow more, then activate the license on www.shop.example: it has no free slot.',
    );
  });
});

function twin(name: string): string {
  return name.startsWith('www.') ? name.slice(4) : `www.${name}`;
}
