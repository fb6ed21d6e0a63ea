import { expect } from 'chai';
import { toProductId } from '../../../core/id.ts';
import { activateByKey, type ProofLookup } from '../../../core/licensing/domain-proof.ts';
import { type Activation, type License, neverActivated } from '../../../core/licensing/license.ts';
import { adviceOf, obstaclesTo } from '../../../core/licensing/obstacles.ts';
import { prove } from '../../../core/licensing/prove.ts';
import { deactivationPolicies, type KeyRules, proofPolicies } from '../../../core/marketplace/product-terms.ts';
import { isRefused } from '../../../core/refusal.ts';
import { around } from '../../support/around.ts';
import { domain, keyNumber, lasting } from '../../support/license-acts.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const old = domain('old.example');
const fresh = domain('new.example');
const held: Activation = { ...lasting, domain: old, activatedAt: 1, verificationCount: 0, lastVerifiedAt: null };

function scene(
  rules: Partial<KeyRules>,
  activated: readonly Activation[] = [held],
  maxDomains = 1,
  keyRemovalAt?: number,
) {
  const license: License = {
    ...neverActivated,
    ...{ key: keyNumber(1), productId: toProductId(1), ownerId: null, isLive: true, standing: 'active' },
    ...{ expiresAt: null, maxDomains, domainsUsed: activated.length, createdAt: 0 },
    ...(keyRemovalAt !== undefined && { keyRemovalAt }),
  };
  const keyRules = { domainProof: 'never', deactivation: 'key', coolDownHours: 3, ...rules } as const;
  return { license, scene: { ...around(activated), keyRules } };
}

/** What a lookup of the host has found. */
const missing = (record: 'nothing' | 'other_text' | 'failed', file: typeof record): ProofLookup => ({
  ...{ host: fresh, text: 'lk=abc', proof: 'missing', instead: { record, file } },
});
const found = (taken?: typeof old): ProofLookup => ({ host: fresh, text: 'lk=abc', proof: 'found', taken });
const busy: ProofLookup = { host: fresh, text: 'lk=abc', proof: 'busy' };

describe('what keeps a license key from activating a domain', () => {
  const codesOf = (of: ReturnType<typeof scene>, lookup?: ProofLookup, host = fresh) =>
    obstaclesTo(of.license, of.scene, host, now, lookup).map(({ code }) => code);

  it('is nothing exactly if the activation is made, or if the product has no such rules', () => {
    for (const domainProof of proofPolicies) {
      for (const deactivation of deactivationPolicies) {
        for (const maxDomains of [1, 2]) {
          for (const lookup of [undefined, missing('nothing', 'failed'), found(), found(old), busy]) {
            const of = scene({ domainProof, deactivation }, [held], maxDomains, now - hour);
            const decided = activateByKey(of.license, of.scene, fresh, now, lookup);
            const hasRules = domainProof !== 'never' || deactivation !== 'key';
            const codes = codesOf(of, lookup);
            const what = `${domainProof} ${deactivation} ${maxDomains} ${lookup?.proof}`;
            expect(codes.length > 0, what).to.equal(hasRules && isRefused(decided));
          }
        }
      }
    }
  });

  it('is a proof that is not there, is another one, or could not be looked up', () => {
    const of = scene({ domainProof: 'always' }, []);
    expect(codesOf(of, missing('nothing', 'failed'))).to.deep.equal(['proof_not_found']);
    expect(codesOf(of, missing('failed', 'other_text'))).to.deep.equal(['other_proof']);
    expect(codesOf(of, missing('failed', 'failed'))).to.deep.equal(['proof_lookup_failed']);
    expect(codesOf(of, busy)).to.deep.equal(['proof_not_looked_up']);
    expect(codesOf(of, undefined, domain('localhost'))).to.deep.equal(['domain_not_provable']);
    const [one] = obstaclesTo(of.license, of.scene, fresh, now, missing('other_text', 'failed'));
    const fix = one && adviceOf(one);
    expect(fix).to.include('The TXT record of _latchkey.new.example has another text.');
    expect(fix).to.include('https://new.example/.well-known/latchkey.txt could not be read');
    expect(fix)
      .to.include('publish the text lk=abc')
      .and.match(/then activate the license again\.$/);
  });

  it('is a slot that another domain holds, which a proof takes from a domain that is not proven', () => {
    const of = scene({ domainProof: 'to_take' });
    expect(codesOf(of, missing('nothing', 'nothing'))).to.deep.equal(['slots_in_use', 'proof_not_found']);
    expect(codesOf(of, busy)).to.deep.equal(['slots_in_use', 'proof_not_looked_up']);
    expect(codesOf(of, found())).to.deep.equal(['slots_are_proven']);
    expect(codesOf(of, undefined, domain('localhost'))).to.deep.equal(['slots_in_use', 'domain_not_provable']);
    expect(codesOf(scene({ domainProof: 'always' }))).to.deep.equal(['slots_in_use']);
  });

  it('is a policy of deactivation, and until when it lasts', () => {
    for (const domainProof of ['never', 'to_take'] as const) {
      const codes = (deactivation: KeyRules['deactivation']) => codesOf(scene({ domainProof, deactivation }));
      expect(codes('holder')).to.deep.equal(['slots_in_use', 'only_holder_deactivates']);
      expect(codes('proof')).to.deep.equal(['slots_in_use', 'deactivation_needs_proof']);
      const cooling = scene({ domainProof, deactivation: 'cool_down' }, [held], 1, now - hour);
      expect(
        obstaclesTo(cooling.license, cooling.scene, fresh, now).map(({ code, until }) => [code, until]),
      ).to.deep.equal([
        ['slots_in_use', undefined],
        ['deactivation_cools_down', now + 2 * hour],
      ]);
    }
  });
});

describe('the proof of a domain by its buyer', () => {
  const rules = { domainProof: 'to_take' } as const;
  const reason = (of: ReturnType<typeof scene>, host = fresh, lookup?: ProofLookup) => {
    const done = prove(of.license, of.scene, host, now, lookup);
    return isRefused(done) ? done.reason : done.needs ? 'needs' : done.prove;
  };

  it('is looked up, and noted for a domain that is activated', () => {
    const of = scene(rules, [{ ...held, domain: fresh }]);
    expect(reason(of)).to.equal('needs');
    expect(reason(of, fresh, found())).to.deep.equal({ domain: fresh, provenAt: now });
    expect(reason(scene(rules), fresh, found()), 'not activated').to.equal(undefined);
    const expired = { ...of, license: { ...of.license, expiresAt: now } };
    expect(reason(expired, fresh, found()), 'in every status').to.deep.equal({ domain: fresh, provenAt: now });
  });

  it('says why it is not noted', () => {
    const of = scene(rules);
    expect(reason(of, fresh, missing('nothing', 'nothing'))).to.equal('proof_not_found');
    expect(reason(of, fresh, missing('other_text', 'failed'))).to.equal('other_proof');
    expect(reason(of, fresh, missing('failed', 'failed'))).to.equal('proof_lookup_failed');
    expect(reason(of, fresh, busy)).to.equal('rate_limit_exceeded');
    expect(reason(of, domain('localhost'))).to.equal('domain_not_provable');
    expect(reason(scene({}))).to.equal('proof_not_needed');
    expect(reason(scene(rules, [{ ...held, domain: fresh, provenAt: 1 }]))).to.equal('domain_already_proven');
    expect(reason(scene(rules, [{ ...held, domain: fresh, kind: 'preview' }]))).to.equal('proof_not_needed');
  });
});
