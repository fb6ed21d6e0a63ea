import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId } from '../../../core/id.ts';
import { activate, deactivate } from '../../../core/licensing/activations.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { activateByKey, deactivateByKey, isProvable, type ProofLookup } from '../../../core/licensing/domain-proof.ts';
import { type Activation, type License, neverActivated } from '../../../core/licensing/license.ts';
import {
  deactivationPolicies,
  defaultTerms,
  type KeyRules,
  proofPolicies,
} from '../../../core/marketplace/product-terms.ts';
import { isRefused } from '../../../core/refusal.ts';
import { around } from '../../support/around.ts';
import { domain, keyNumber, lasting } from '../../support/license-acts.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const names = ['a.example', 'b.example', 'c.example', 'localhost', '10.0.0.1'].map(domain);

const activations = fc
  .uniqueArray(fc.record({ name: fc.constantFrom(...names), isProven: fc.boolean() }), { selector: ({ name }) => name })
  .map((all) =>
    all.map(
      ({ name, isProven }): Activation => ({
        ...{ ...lasting, domain: name, activatedAt: 1, verificationCount: 1, lastVerifiedAt: 2 },
        ...(isProven && { provenAt: 3 }),
      }),
    ),
  );
const scenes = fc.record({
  activated: activations,
  maxDomains: fc.integer({ min: 1, max: 5 }),
  name: fc.constantFrom(...names),
  rules: fc.record({
    domainProof: fc.constantFrom(...proofPolicies),
    deactivation: fc.constantFrom(...deactivationPolicies),
    coolDownHours: fc.integer({ min: 1, max: 720 }),
  }),
  keyRemovalAt: fc.option(fc.integer({ min: now - 800 * hour, max: now }), { nil: undefined }),
  lookup: fc.option(
    fc.record({
      proof: fc.constantFrom('found', 'missing', 'busy'),
      host: fc.constantFrom(...names),
      taken: fc.constantFrom(...names, undefined),
    }),
    { nil: undefined },
  ),
});
type Drawn = typeof scenes extends fc.Arbitrary<infer T> ? T : never;

function sceneOf({ activated, maxDomains, rules, keyRemovalAt, lookup, name }: Drawn) {
  const license: License = {
    ...neverActivated,
    ...{
      key: keyNumber(1),
      productId: toProductId(1),
      ownerId: null,
      isLive: true,
      standing: 'active',
      expiresAt: null,
    },
    ...{ maxDomains: Math.max(maxDomains, activated.length), domainsUsed: activated.length, createdAt: 0 },
    ...(keyRemovalAt !== undefined && { keyRemovalAt }),
  };
  const scene = { ...around(activated), keyRules: rules as KeyRules };
  const seen: ProofLookup | undefined = lookup && { ...lookup, text: 'lk=x' };
  return { license, scene, seen, name };
}

const every = (check: (drawn: Drawn) => void) => fc.assert(fc.property(scenes, check), { numRuns: 2_000 });

describe('what a license key alone can change', () => {
  it('changes nothing with the rules of the spec', () => {
    every((drawn) => {
      const { license, scene, seen, name } = sceneOf(drawn);
      const spec = { ...scene, keyRules: defaultTerms };
      expect(activateByKey(license, spec, name, now, seen)).to.deep.equal(activate(license, scene, name, now));
      expect(deactivateByKey(license, spec, name, now, seen)).to.deep.equal(deactivate(license, scene, name, now));
    });
  });

  it('never gives a slot to a host that is not proven if each must be', () => {
    every((drawn) => {
      const { license, scene, seen, name } = sceneOf(drawn);
      if (drawn.rules.domainProof !== 'always') return;
      const done = activateByKey(license, scene, name, now, seen);
      if (isRefused(done) || done.needs || done.add === undefined) return;
      expect([seen?.proof, seen?.host, isProvable(name)]).to.deep.equal(['found', name, true]);
      expect(done.add.provenAt).to.equal(now);
    });
  });

  it('takes slots only from hosts that are not proven, only for proven ones, one for one, and only on a full license', () => {
    every((drawn) => {
      const { license, scene, seen, name } = sceneOf(drawn);
      const done = activateByKey(license, scene, name, now, seen);
      if (isRefused(done) || done.needs) return;
      const { remove = [] } = done;
      if (remove.length === 0) return;
      expect([drawn.rules.domainProof, seen?.proof, remove]).to.deep.equal(['to_take', 'found', [seen?.taken]]);
      expect(scene.activations.get(seen?.taken as DomainName)?.provenAt).to.equal(undefined);
      expect([done.license.domainsUsed, license.domainsUsed]).to.deep.equal([license.maxDomains, license.maxDomains]);
      expect(done.license.retired.verificationCount).to.equal(1);
      const { deactivation, coolDownHours } = drawn.rules;
      expect(deactivation).to.be.oneOf(['key', 'cool_down']);
      if (deactivation !== 'cool_down') return;
      expect(done.license.keyRemovalAt).to.equal(now);
      expect(now - (drawn.keyRemovalAt ?? 0)).to.be.at.least(coolDownHours * hour);
    });
  });

  it('asks for nothing that has to be found to decide, if the host is activated or there is room', () => {
    every((drawn) => {
      const { license, scene, name } = sceneOf(drawn);
      const first = activateByKey(license, scene, name, now);
      if (isRefused(first) || !first.needs) return;
      const without = activateByKey(license, scene, name, now, { proof: 'missing', host: name, text: 'lk=x' });
      expect(isRefused(without)).to.equal(first.needs.isDecisive);
    });
  });

  it('asks for a proof only if one can change the decision, and never again with what it asked for', () => {
    every((drawn) => {
      const { license, scene, name } = sceneOf(drawn);
      for (const decide of [activateByKey, deactivateByKey]) {
        const first = decide(license, scene, name, now);
        if (isRefused(first) || !first.needs) continue;
        expect(isProvable(first.needs.host)).to.equal(true);
        expect(first).to.not.have.any.keys('add', 'remove', 'end', 'prove');
        for (const proof of ['found', 'missing', 'busy'] as const) {
          const lookup = { proof, host: first.needs.host, text: 'lk=x', ...(first.needs.slot && { taken: undefined }) };
          const next = decide(license, scene, name, now, lookup);
          expect(isRefused(next) || next.needs === undefined).to.equal(true);
        }
      }
    });
  });

  it('frees a slot with the key alone only as the product allows', () => {
    every((drawn) => {
      const { license, scene, seen, name } = sceneOf(drawn);
      const done = deactivateByKey(license, scene, name, now, seen);
      if (isRefused(done) || done.needs) return;
      const { deactivation, coolDownHours } = drawn.rules;
      expect(deactivation).to.not.equal('holder');
      if (deactivation === 'proof') expect([seen?.proof, seen?.host]).to.deep.equal(['found', name]);
      if (deactivation !== 'cool_down') return;
      expect(done.license.keyRemovalAt).to.equal(now);
      expect(now - (drawn.keyRemovalAt ?? 0)).to.be.at.least(coolDownHours * hour);
      if (scene.activations.get(name)?.provenAt === undefined) return;
      expect([seen?.proof, seen?.host]).to.deep.equal(['found', name]);
    });
  });

  it('does not count or delay hosts that take no slot', () => {
    every((drawn) => {
      const { license, scene, name } = sceneOf(drawn);
      const free = new Map([...scene.activations].map(([host, one]) => [host, { ...one, kind: 'local' as const }]));
      const around = {
        ...scene,
        activations: free,
        keyRules: { ...scene.keyRules, deactivation: 'cool_down' as const },
      };
      const before = { ...license, domainsUsed: 0, freeDomains: free.size };
      expect(deactivateByKey(before, around, name, now)).to.deep.equal(deactivate(before, around, name, now));
    });
  });

  it('replaces nothing on a full license if the key could not deactivate it, and says why', () => {
    const activated = [
      { ...lasting, domain: domain('a.example'), activatedAt: 1, verificationCount: 0, lastVerifiedAt: null },
    ];
    const drawn = { activated, maxDomains: 1, name: domain('b.example'), keyRemovalAt: now - hour, lookup: undefined };
    for (const [deactivation, why] of [
      ['holder', /the license key alone cannot deactivate/],
      ['proof', /the license key alone cannot deactivate/],
      ['cool_down', /Try again in 7200 seconds/],
    ] as const) {
      const rules = { domainProof: 'to_take', deactivation, coolDownHours: 3 } as const;
      const { license, scene } = sceneOf({ ...drawn, rules });
      const refused = activateByKey(license, scene, domain('b.example'), now);
      expect(refused).to.include({ kind: 'refused', reason: 'domain_limit_reached' });
      expect(isRefused(refused) && refused.detail).to.match(why);
    }
  });

  it('says how long the cool-down lasts', () => {
    const { license, scene } = sceneOf({
      ...{
        activated: [
          { ...lasting, domain: domain('a.example'), activatedAt: 1, verificationCount: 0, lastVerifiedAt: null },
        ],
      },
      ...{ maxDomains: 1, name: domain('a.example'), keyRemovalAt: now - hour, lookup: undefined },
      rules: { domainProof: 'never', deactivation: 'cool_down', coolDownHours: 3 },
    });
    const refused = deactivateByKey(license, scene, domain('a.example'), now);
    expect(refused).to.deep.include({ reason: 'deactivation_too_soon', figures: { retry_after: 7_200 } });
    expect(isRefused(deactivateByKey(license, scene, domain('a.example'), now + 2 * hour))).to.equal(false);
  });

  it('knows which hosts can be proven', () => {
    for (const good of ['example.com', 'a.b.c.example', 'xn--mnchen-3ya.de', '1.example', 'app.vercel.app'])
      expect(isProvable(domain(good)), good).to.equal(true);
    for (const bad of [
      'localhost',
      'a.localhost',
      'ada.local',
      'shop.test',
      '8.8.8.8',
      '10.0.0.1',
      '[2001:db8::1]',
      'com',
    ])
      expect(isProvable(domain(bad)), bad).to.equal(false);
  });
});
