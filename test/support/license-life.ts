import { expect } from 'chai';
import fc from 'fast-check';
import type { AuditLog } from '../../adapters/audit-log.ts';
import type { ManualClock } from '../../adapters/node/manual-clock.ts';
import type { By } from '../../core/events/event.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Issuing } from '../../core/licensing/issuing.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseDetails, Licensing } from '../../core/licensing/licensing.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { domain } from './license-acts.ts';

/** A simple model of a license. It follows the spec and does not use core's rules. */
export interface Paper {
  now: number;
  mark: 'good' | 'suspended' | 'revoked';
  readonly slots: number;
  end: number | null;
  /** Newest first. */
  sites: { readonly name: DomainName; readonly since: number; hits: number; last: number | null }[];
  hits: number;
  last: number | null;
  /** The changes, in order. */
  readonly diary: string[];
}

/** The real service, and the license of this test run. */
export interface Real {
  readonly licensing: Licensing;
  readonly issuing: Issuing;
  readonly audit: AuditLog;
  readonly clock: ManualClock;
  readonly key: LicenseKey;
  readonly product: LicenseDetails['product'];
  readonly issuedAt: number;
}

const seller: By = { actor: 'seller', reason: 'as it pleases' };

const sites = ['a.example', 'www.a.example', 'münchen.example', '[::1]'].map(domain);
const spellings = [
  (key: string) => key,
  (key: string) => ` ${key.toLowerCase()}\t`,
  (key: string) => `${key.slice(0, 9)}\r\n  ${key.slice(9)}`,
];

/** Returns the status of the license in the model. */
function word(paper: Readonly<Paper>): 'active' | 'suspended' | 'revoked' | 'expired' {
  if (paper.mark !== 'good') return paper.mark;
  return paper.end === null || paper.now < paper.end ? 'active' : 'expired';
}

/** Compares everything that the service returns about the license with the model. */
export async function compare(paper: Readonly<Paper>, real: Real): Promise<void> {
  expect(await real.licensing.status(real.key)).to.deep.equal({
    key: real.key,
    status: word(paper),
    product: real.product,
    domains: paper.sites.map(({ name, since, hits, last }) => ({
      domain: name,
      activatedAt: since,
      verificationCount: hits,
      lastVerifiedAt: last,
    })),
    domainsUsed: paper.sites.length,
    maxDomains: paper.slots,
    verifications: { verificationCount: paper.hits, lastVerifiedAt: paper.last },
    expiresAt: paper.end,
    createdAt: real.issuedAt,
  } satisfies LicenseDetails);
}

/** Compares the audit trail of the license with the model. */
export async function compareDiary(paper: Readonly<Paper>, real: Real): Promise<void> {
  const events = await real.audit.list({ subject: real.key, limit: 1000 });
  expect(events.reverse().map(({ type, at, actor }) => `${at} ${type} by ${actor}`)).to.deep.equal(paper.diary);
}

type Step = fc.AsyncCommand<Paper, Real>;
type Act = (paper: Paper, real: Real) => Promise<void>;

function step(name: string, act: Act, check: (paper: Readonly<Paper>) => boolean = () => true): Step {
  return {
    check,
    async run(paper, real) {
      await act(paper, real);
      await compare(paper, real);
    },
    toString: () => name,
  };
}

function told(answer: object): string {
  return isRefused(answer) ? (answer as Refused).reason : 'done';
}

const where = fc.tuple(fc.constantFrom(...sites), fc.constantFrom(...spellings));

const activate = where.map(([name, spell]) =>
  step(`activate ${name}`, async (paper, real) => {
    const answer = await real.licensing.activate({ licenseKey: spell(real.key), domain: name });
    const known = paper.sites.some((site) => site.name === name);
    if (word(paper) !== 'active') expect(told(answer)).to.equal(word(paper));
    else if (!known && paper.sites.length === paper.slots) expect(told(answer)).to.equal('domain_limit_reached');
    else {
      expect(answer).to.deep.equal({ key: real.key, domain: name });
      if (known) return;
      paper.sites.unshift({ name, since: paper.now, hits: 0, last: null });
      paper.diary.push(`${paper.now} license.activated by license-api`);
    }
  }),
);

const deactivate = where.map(([name, spell]) =>
  step(`deactivate ${name}`, async (paper, real) => {
    const answer = await real.licensing.deactivate({ licenseKey: spell(real.key), domain: name });
    if (!paper.sites.some((site) => site.name === name)) expect(told(answer)).to.equal('domain_not_found');
    else {
      expect(answer).to.deep.equal({ key: real.key, domain: name });
      paper.sites = paper.sites.filter((site) => site.name !== name);
      paper.diary.push(`${paper.now} license.deactivated by license-api`);
    }
  }),
);

const verify = fc.tuple(where, fc.integer({ min: 1, max: 5 })).map(([[name, spell], times]) =>
  step(`verify ${name} ${times} times at once`, async (paper, real) => {
    const answers = await Promise.all(
      Array.from({ length: times }, () => real.licensing.verify({ licenseKey: spell(real.key), domain: name })),
    );
    const site = paper.sites.find((one) => one.name === name);
    for (const answer of answers) {
      if (word(paper) !== 'active') expect(told(answer)).to.equal(word(paper));
      else if (site === undefined) expect(told(answer)).to.equal('invalid_domain');
      else {
        expect(answer).to.deep.equal({ kind: 'valid', expiresAt: paper.end, at: paper.now });
        site.hits++;
        paper.hits++;
        site.last = paper.last = paper.now;
      }
    }
  }),
);

const verdicts = {
  suspend: { from: ['active'], to: 'suspended', event: 'license.suspended' },
  reinstate: { from: ['suspended'], to: 'good', event: 'license.reinstated' },
  revoke: { from: ['active', 'suspended', 'expired'], to: 'revoked', event: 'license.revoked' },
} as const;

const judge = fc.constantFrom('suspend', 'reinstate', 'revoke').map((verb) =>
  step(verb, async (paper, real) => {
    const { from, to, event } = verdicts[verb];
    const answer = await real.issuing.change(real.key, verb, seller);
    if (!from.some((one) => one === word(paper))) expect(told(answer)).to.equal('transition_not_allowed');
    else {
      expect(told(answer)).to.equal('done');
      paper.mark = to;
      paper.diary.push(`${paper.now} ${event} by seller`);
    }
  }),
);

const day = 86_400_000;
const wish = fc.record({
  after: fc.constantFrom('now', 'end'),
  by: fc.constantFrom(-day, -1, 0, 1, 1000, day, 30 * day),
});

const renew = fc.option(wish, { freq: 5 }).map((wanted) =>
  step(wanted === null ? 'renew for ever' : `renew to ${wanted.after} + ${wanted.by}`, async (paper, real) => {
    const end = wanted && wanted.by + (wanted.after === 'now' ? paper.now : (paper.end ?? paper.now));
    const answer = await real.issuing.renew(real.key, end, seller);
    const later = end === null || (end > paper.now && paper.end !== null && end > paper.end);
    if (!['active', 'expired'].includes(word(paper))) expect(told(answer)).to.equal('transition_not_allowed');
    else if (!later) expect(told(answer)).to.equal('expiry_not_later');
    else {
      expect(answer).to.include({ key: real.key, expiresAt: end });
      paper.end = end;
      paper.diary.push(`${paper.now} license.renewed by seller`);
    }
  }),
);

const pass = fc.constantFrom(1, 1000, 3_600_000, day, 31 * day).map((milliseconds) =>
  step(`${milliseconds} ms pass`, async (paper, real) => {
    paper.now += milliseconds;
    real.clock.set(paper.now);
  }),
);

const reachTheEnd = fc.constantFrom(-1, 0, 1).map((by) =>
  step(
    `time passes to the end ${by < 0 ? '-' : '+'} ${Math.abs(by)} ms`,
    async (paper, real) => {
      paper.now = (paper.end ?? paper.now) + by;
      real.clock.set(paper.now);
    },
    (paper) => paper.end !== null && paper.end + by >= paper.now,
  ),
);

/** Generates random commands on a license. Commands that keep it valid are more frequent than those that end it. */
export const lives = (maxCommands: number) =>
  fc.commands([activate, activate, verify, verify, deactivate, judge, renew, renew, pass, reachTheEnd], {
    maxCommands,
    size: 'max',
  });

/** Generates the initial terms of a license. */
export const terms = fc.record({
  slots: fc.integer({ min: 1, max: 3 }),
  /** Milliseconds from issue to expiry. */
  lasts: fc.option(fc.constantFrom(0, 1, 1000, day, 30 * day), { freq: 3 }),
  /** The number of licenses that are issued before it, in the same call. */
  siblings: fc.nat(2),
});
