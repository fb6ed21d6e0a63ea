import { expect } from 'chai';
import fc from 'fast-check';
import { toProductId, toUserId } from '../../../core/id.ts';
import { activate, deactivate } from '../../../core/licensing/activations.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import {
  type Activation,
  type License,
  type LicenseStatus,
  licenseStatuses,
  plainTransitions,
  renew,
  type Standing,
  standings,
  statusOf,
  type Transition,
  total,
  transit,
  transitions,
  type Verifications,
} from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { verify } from '../../../core/licensing/verdict.ts';
import { isRefused } from '../../../core/refusal.ts';
import { type Activations, around, saved } from '../../support/around.ts';
import { lasting } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const now = Date.UTC(2026, 10, 1);
const day = 24 * 60 * 60 * 1000;
const domain = 'example.com' as DomainName;

/** A license whose numbers are all different, so that mixed-up fields are noticed. */
function license(changed: Partial<License> = {}): License {
  return {
    key: 'LIC-ABCD-EFGH-JKMN-PQRS' as LicenseKey,
    productId: toProductId(7),
    ownerId: toUserId(4),
    isLive: true,
    maxDomains: 3,
    domainsUsed: 2,
    freeDomains: 0,
    daysFromActivation: null,
    updatesUntil: now + 5 * day,
    entitlements: ['pro'],
    moves: { month: '2026-09', made: 1 },
    ownStanding: null,
    createdAt: now - 30 * day,
    standing: 'active',
    expiresAt: now + 10 * day,
    retired: { verificationCount: 5, lastVerifiedAt: now - 2 * day },
    ...changed,
  };
}

/** A license that has a status now. */
function licenseIn(status: LicenseStatus, changed: Partial<License> = {}): License {
  return status === 'expired'
    ? license({ standing: 'active', expiresAt: now - day, ...changed })
    : license({ standing: status, ...changed });
}

function activation(changed: Partial<Activation> = {}): Activation {
  return {
    ...lasting,
    domain,
    activatedAt: now - 9 * day,
    verificationCount: 11,
    lastVerifiedAt: now - day,
    ...changed,
  };
}

/** Returns the decision. Throws if it is a refusal. */
function granted<T extends object>(decision: T): Exclude<T, { kind: 'refused' }> {
  if (isRefused(decision)) throw new Error(`refused: ${decision.reason}`);
  return decision as Exclude<T, { kind: 'refused' }>;
}

function reasonOf(decision: object): string | undefined {
  return isRefused(decision) ? decision.reason : undefined;
}

describe('statusOf', () => {
  const table: Record<Standing, { perpetual: LicenseStatus; running: LicenseStatus; ended: LicenseStatus }> = {
    active: { perpetual: 'active', running: 'active', ended: 'expired' },
    suspended: { perpetual: 'suspended', running: 'suspended', ended: 'suspended' },
    revoked: { perpetual: 'revoked', running: 'revoked', ended: 'revoked' },
  };
  for (const standing of standings) {
    const { perpetual, running, ended } = table[standing];
    it(`returns ${running} before the expiry and ${ended} after it if the standing is ${standing}`, () => {
      expect(statusOf({ standing, expiresAt: null }, now)).to.equal(perpetual);
      expect(statusOf({ standing, expiresAt: now + 1 }, now)).to.equal(running);
      expect(statusOf({ standing, expiresAt: now - 1 }, now)).to.equal(ended);
    });
  }

  it('returns expired from the exact millisecond of the expiry, and not one millisecond earlier', () => {
    const validity = { standing: 'active', expiresAt: now } as const;
    expect(statusOf(validity, now - 1)).to.equal('active');
    expect(statusOf(validity, now)).to.equal('expired');
    expect(statusOf(validity, now + 1)).to.equal('expired');
  });

  it('returns expired for an expiry of 0, which means 1970 and not "perpetual"', () => {
    expect(statusOf({ standing: 'active', expiresAt: 0 }, now)).to.equal('expired');
  });
});

describe('activate', () => {
  it('uses a slot for a new domain, which starts with zero verifications', () => {
    const before = license({ domainsUsed: 2, maxDomains: 3 });
    expect(activate(before, around([]), domain, now)).to.deep.equal({
      license: { ...before, domainsUsed: 3 },
      domain,
      add: { ...lasting, domain, activatedAt: now, verificationCount: 0, lastVerifiedAt: null },
    });
  });

  it('refuses a new domain if every slot is used', () => {
    for (const [domainsUsed, maxDomains] of [
      [1, 1],
      [3, 3],
      [4, 3],
    ] as const) {
      const decision = activate(license({ domainsUsed, maxDomains }), around([]), domain, now);
      expect(reasonOf(decision), `${domainsUsed} of ${maxDomains}`).to.equal('domain_limit_reached');
    }
  });

  it('changes nothing for a domain that is already activated, even if every slot is used', () => {
    for (const domainsUsed of [1, 3]) {
      const before = license({ domainsUsed, maxDomains: 3 });
      expect(activate(before, around([activation()]), domain, now)).to.deep.equal({ license: before, domain });
    }
  });

  for (const status of ['suspended', 'revoked', 'expired'] as const) {
    it(`is refused with ${status}, whether or not the domain is activated or a slot is free`, () => {
      for (const current of [[], [activation()]]) {
        for (const domainsUsed of [1, 3]) {
          const before = licenseIn(status, { domainsUsed, maxDomains: 3 });
          expect(reasonOf(activate(before, around(current), domain, now))).to.equal(status);
        }
      }
    });
  }

  it('is refused at the exact time of the expiry, and allowed a millisecond earlier', () => {
    expect(reasonOf(activate(license({ expiresAt: now }), around([]), domain, now))).to.equal('expired');
    expect(reasonOf(activate(license({ expiresAt: now }), around([]), domain, now - 1))).to.equal(undefined);
  });
});

describe('deactivate', () => {
  for (const status of licenseStatuses) {
    it(`frees the slot of a domain of a license that is ${status}, and keeps its verifications in the total`, () => {
      const before = licenseIn(status);
      expect(deactivate(before, around([activation()]), domain, now)).to.deep.equal({
        license: { ...before, domainsUsed: 1, retired: { verificationCount: 16, lastVerifiedAt: now - day } },
        domain,
        remove: [domain],
      });
    });

    it(`is refused with domain_not_found for a domain that is not activated on a license that is ${status}`, () => {
      expect(reasonOf(deactivate(licenseIn(status), around([]), domain, now))).to.equal('domain_not_found');
    });
  }
});

describe('verify', () => {
  it('is valid for an activated domain of an active license, and returns the expiry and the time', () => {
    const rights = { updatesUntil: now + 5 * day, entitlements: ['pro'] };
    expect(verify(license(), lasting, now)).to.deep.equal({
      kind: 'valid',
      expiresAt: now + 10 * day,
      ...rights,
      at: now,
    });
    expect(verify(license({ expiresAt: null }), lasting, now)).to.deep.equal({
      kind: 'valid',
      expiresAt: null,
      ...rights,
      at: now,
    });
  });

  it('is refused with invalid_key if there is no license, whether or not the domain is activated', () => {
    expect(reasonOf(verify(undefined, lasting, now))).to.equal('invalid_key');
    expect(reasonOf(verify(undefined, undefined, now))).to.equal('invalid_key');
  });

  it('is refused with invalid_domain for a domain that is not activated on an active license', () => {
    expect(reasonOf(verify(license(), undefined, now))).to.equal('invalid_domain');
  });

  for (const status of ['suspended', 'revoked', 'expired'] as const) {
    it(`is refused with ${status} whether or not the domain is activated`, () => {
      expect(reasonOf(verify(licenseIn(status), lasting, now))).to.equal(status);
      expect(reasonOf(verify(licenseIn(status), undefined, now))).to.equal(status);
    });
  }

  it('is refused at the exact time of the expiry, and valid a millisecond earlier', () => {
    expect(reasonOf(verify(license({ expiresAt: now }), lasting, now))).to.equal('expired');
    expect(reasonOf(verify(license({ expiresAt: now }), lasting, now - 1))).to.equal(undefined);
  });
});

describe('total', () => {
  it('of a license without domains returns the verifications of its former domains', () => {
    expect(total(license(), [])).to.deep.equal({ verificationCount: 5, lastVerifiedAt: now - 2 * day });
  });

  it('adds up the verifications of all domains and returns their latest time, in any order', () => {
    const verifications: fc.Arbitrary<Verifications> = fc.record({
      verificationCount: fc.nat({ max: 1000 }),
      lastVerifiedAt: fc.option(fc.integer({ min: -1000, max: 1000 }), { nil: null }),
    });
    fc.assert(
      fc.property(verifications, fc.array(verifications), (retired, domains) => {
        const all = [retired, ...domains];
        const times = all.flatMap(({ lastVerifiedAt }) => (lastVerifiedAt === null ? [] : [lastVerifiedAt]));
        const expected = {
          verificationCount: all.map((one) => one.verificationCount).reduce((sum, count) => sum + count),
          lastVerifiedAt: times.length === 0 ? null : Math.max(...times),
        };
        expect(total(license({ retired }), domains)).to.deep.equal(expected);
        expect(total(license({ retired }), domains.toReversed())).to.deep.equal(expected);
      }),
    );
  });
});

describe('transitions', () => {
  /** All transitions that are allowed: the transition, the status before it, and the standing after it. */
  const allowed: readonly (readonly [Transition, LicenseStatus, Standing])[] = [
    ['suspend', 'active', 'suspended'],
    ['reinstate', 'suspended', 'active'],
    ['revoke', 'active', 'revoked'],
    ['revoke', 'suspended', 'revoked'],
    ['revoke', 'expired', 'revoked'],
    ['renew', 'active', 'active'],
    ['renew', 'expired', 'active'],
  ];
  const names: readonly Transition[] = [...plainTransitions, 'renew'];

  it('are suspend, reinstate, revoke and renew, each with an entry for every status', () => {
    expect(Object.keys(transitions)).to.have.members(names);
    for (const name of names) expect(Object.keys(transitions[name])).to.have.members(licenseStatuses);
  });

  for (const name of names) {
    for (const status of licenseStatuses) {
      const standing = allowed.find(([transition, from]) => transition === name && from === status)?.[2];
      it(`${name} ${standing === undefined ? 'is refused for' : 'changes'} a license that is ${status}`, () => {
        const before = licenseIn(status);
        const decision = transit(before, name, now);
        if (standing === undefined) expect(reasonOf(decision)).to.equal('transition_not_allowed');
        else expect(decision).to.deep.equal({ ...before, standing });
      });
    }
  }

  it('are all refused for a revoked license, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names)), fc.option(fc.integer(), { nil: null }), (asked, expiresAt) => {
        for (const name of asked) {
          expect(reasonOf(transit(license({ standing: 'revoked', expiresAt }), name, now))).to.equal(
            'transition_not_allowed',
          );
        }
      }),
    );
  });

  it('depend on the status; suspended and revoked take precedence over expired', () => {
    const ended = license({ standing: 'suspended', expiresAt: now - day });
    expect(reasonOf(transit(ended, 'renew', now))).to.equal('transition_not_allowed');
    expect(statusOf(granted(transit(ended, 'reinstate', now)), now)).to.equal('expired');
    expect(statusOf(granted(transit(ended, 'revoke', now)), now)).to.equal('revoked');
    const endedAndRevoked = license({ standing: 'revoked', expiresAt: now - day });
    expect(reasonOf(transit(endedAndRevoked, 'revoke', now))).to.equal('transition_not_allowed');
  });
});

describe('renew', () => {
  it('sets a later expiry or removes it, and changes no other field', () => {
    for (const status of ['active', 'expired'] as const) {
      const before = licenseIn(status);
      for (const expiresAt of [now + 20 * day, null]) {
        expect(renew(before, expiresAt, now), status).to.deep.equal({ ...before, expiresAt });
      }
    }
  });

  it('makes an expired license active', () => {
    expect(statusOf(granted(renew(licenseIn('expired'), now + 1, now)), now)).to.equal('active');
    expect(statusOf(granted(renew(licenseIn('expired'), null, now)), now)).to.equal('active');
  });

  it('refuses an expiry that is not later than the present one', () => {
    const expiresAt = now + 10 * day;
    expect(reasonOf(renew(license({ expiresAt }), expiresAt - 1, now))).to.equal('expiry_not_later');
    expect(reasonOf(renew(license({ expiresAt }), expiresAt, now))).to.equal('expiry_not_later');
    expect(reasonOf(renew(license({ expiresAt }), expiresAt + 1, now))).to.equal(undefined);
  });

  it('refuses an expiry that is not in the future, even if it is later than the present one', () => {
    const expired = license({ expiresAt: now - 2 * day });
    expect(reasonOf(renew(expired, now - day, now))).to.equal('expiry_not_later');
    expect(reasonOf(renew(expired, now, now))).to.equal('expiry_not_later');
    expect(reasonOf(renew(expired, now + 1, now))).to.equal(undefined);
  });

  it('never sets an expiry on a perpetual license', () => {
    const perpetual = license({ expiresAt: null });
    expect(reasonOf(renew(perpetual, now + 1000 * day, now))).to.equal('expiry_not_later');
    expect(renew(perpetual, null, now)).to.deep.equal(perpetual);
  });

  it('is refused because of the status before the new expiry is checked', () => {
    for (const status of ['suspended', 'revoked'] as const) {
      for (const expiresAt of [now - day, now + 20 * day, null]) {
        expect(reasonOf(renew(licenseIn(status), expiresAt, now))).to.equal('transition_not_allowed');
      }
    }
  });
});

describe('a license over its life', () => {
  type Operation = {
    readonly name: 'activate' | 'deactivate' | 'verify';
    readonly domain: DomainName;
    readonly at: number;
  };
  interface Life {
    readonly license: License;
    readonly domains: Activations;
  }

  const operations: fc.Arbitrary<Operation[]> = fc.array(
    fc.record({
      name: fc.constantFrom('activate', 'deactivate', 'verify', 'verify'),
      domain: fc.constantFrom('a.example', 'b.example', 'c.example', 'd.example').map((name) => name as DomainName),
      // In any order, because clocks can be set back.
      at: fc.integer({ min: now - 50, max: now + 5 }),
    }),
    { maxLength: 60 },
  );
  const start: fc.Arbitrary<Life> = fc.integer({ min: 1, max: 3 }).map((maxDomains) => ({
    license: license({
      maxDomains,
      domainsUsed: 0,
      expiresAt: now,
      retired: { verificationCount: 0, lastVerifiedAt: null },
    }),
    domains: new Map(),
  }));

  /** Returns the next state of a license, like a store that saves the decision of the rules. */
  function live(life: Life, { name, domain, at }: Operation): Life {
    const current = life.domains.get(domain);
    if (name === 'verify') {
      const verdict = verify(life.license, current, at);
      if (isRefused(verdict) || current === undefined) return life;
      const lastVerifiedAt = Math.max(verdict.at, current.lastVerifiedAt ?? verdict.at);
      const verificationCount = current.verificationCount + 1;
      return { ...life, domains: new Map(life.domains).set(domain, { ...current, verificationCount, lastVerifiedAt }) };
    }
    const act = name === 'activate' ? activate : deactivate;
    const decision = act(life.license, around(life.domains), domain, at);
    if (isRefused(decision)) return life;
    return { license: decision.license, domains: saved(life.domains, decision) };
  }

  function eachStep(check: (before: Life, after: Life, operation: Operation) => void): void {
    fc.assert(
      fc.property(start, operations, (first, all) => {
        all.reduce((before, operation) => {
          const after = live(before, operation);
          check(before, after, operation);
          return after;
        }, first);
      }),
      { numRuns: runs(500) },
    );
  }

  it('has totals that never decrease', () => {
    eachStep((before, after) => {
      const [was, is] = [before, after].map((life) => total(life.license, [...life.domains.values()]));
      expect(is?.verificationCount).to.be.at.least(was?.verificationCount ?? 0);
      expect(is?.lastVerifiedAt ?? -1).to.be.at.least(was?.lastVerifiedAt ?? -1);
    });
  });

  it('has a total that increases by one with each valid verification and with no other operation', () => {
    eachStep((before, after, { name, domain, at }) => {
      const valid = name === 'verify' && at < now && before.domains.has(domain);
      const [was, is] = [before, after].map(
        (life) => total(life.license, [...life.domains.values()]).verificationCount,
      );
      expect(is).to.equal((was ?? 0) + (valid ? 1 : 0));
    });
  });

  it('never has more domains than its limit, and counts exactly its activated domains', () => {
    eachStep((_, { license, domains }) => {
      expect(license.domainsUsed).to.equal(domains.size);
      expect(license.domainsUsed).to.be.at.most(license.maxDomains);
    });
  });

  it('has zero verifications for a domain that is activated again', () => {
    eachStep((before, after, { domain }) => {
      if (before.domains.has(domain) || !after.domains.has(domain)) return;
      expect(after.domains.get(domain)).to.include({ verificationCount: 0, lastVerifiedAt: null });
    });
  });
});
