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
export interface Model {
  now: number;
  standing: 'good' | 'suspended' | 'revoked';
  readonly slots: number;
  end: number | null;
  /** Newest first. */
  sites: { readonly name: DomainName; readonly since: number; count: number; last: number | null }[];
  count: number;
  last: number | null;
  /** The changes, in order. */
  readonly events: string[];
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
function statusOf(model: Readonly<Model>): 'active' | 'suspended' | 'revoked' | 'expired' {
  if (model.standing !== 'good') return model.standing;
  return model.end === null || model.now < model.end ? 'active' : 'expired';
}

/** Compares everything that the service returns about the license with the model. */
export async function compare(model: Readonly<Model>, real: Real): Promise<void> {
  expect(await real.licensing.status(real.key)).to.deep.equal({
    key: real.key,
    status: statusOf(model),
    product: real.product,
    domains: model.sites.map(({ name, since, count, last }) => ({
      domain: name,
      activatedAt: since,
      verificationCount: count,
      lastVerifiedAt: last,
    })),
    domainsUsed: model.sites.length,
    maxDomains: model.slots,
    verifications: { verificationCount: model.count, lastVerifiedAt: model.last },
    expiresAt: model.end,
    createdAt: real.issuedAt,
  } satisfies LicenseDetails);
}

/** Compares the audit trail of the license with the model. */
export async function compareEvents(model: Readonly<Model>, real: Real): Promise<void> {
  const listed = await real.audit.list({ subject: real.key, limit: 1000 });
  expect(listed.reverse().map(({ type, at, actor }) => `${at} ${type} by ${actor}`)).to.deep.equal(model.events);
}

type Step = fc.AsyncCommand<Model, Real>;
type Act = (model: Model, real: Real) => Promise<void>;

function step(name: string, act: Act, check: (model: Readonly<Model>) => boolean = () => true): Step {
  return {
    check,
    async run(model, real) {
      await act(model, real);
      await compare(model, real);
    },
    toString: () => name,
  };
}

function told(answer: object): string {
  return isRefused(answer) ? (answer as Refused).reason : 'done';
}

const where = fc.tuple(fc.constantFrom(...sites), fc.constantFrom(...spellings));

const activate = where.map(([name, spell]) =>
  step(`activate ${name}`, async (model, real) => {
    const answer = await real.licensing.activate({ licenseKey: spell(real.key), domain: name });
    const known = model.sites.some((site) => site.name === name);
    if (statusOf(model) !== 'active') expect(told(answer)).to.equal(statusOf(model));
    else if (!known && model.sites.length === model.slots) expect(told(answer)).to.equal('domain_limit_reached');
    else {
      expect(answer).to.deep.equal({ key: real.key, domain: name });
      if (known) return;
      model.sites.unshift({ name, since: model.now, count: 0, last: null });
      model.events.push(`${model.now} license.activated by license-api`);
    }
  }),
);

const deactivate = where.map(([name, spell]) =>
  step(`deactivate ${name}`, async (model, real) => {
    const answer = await real.licensing.deactivate({ licenseKey: spell(real.key), domain: name });
    if (!model.sites.some((site) => site.name === name)) expect(told(answer)).to.equal('domain_not_found');
    else {
      expect(answer).to.deep.equal({ key: real.key, domain: name });
      model.sites = model.sites.filter((site) => site.name !== name);
      model.events.push(`${model.now} license.deactivated by license-api`);
    }
  }),
);

const verify = fc.tuple(where, fc.integer({ min: 1, max: 5 })).map(([[name, spell], times]) =>
  step(`verify ${name} ${times} times at once`, async (model, real) => {
    const answers = await Promise.all(
      Array.from({ length: times }, () => real.licensing.verify({ licenseKey: spell(real.key), domain: name })),
    );
    const site = model.sites.find((one) => one.name === name);
    for (const answer of answers) {
      if (statusOf(model) !== 'active') expect(told(answer)).to.equal(statusOf(model));
      else if (site === undefined) expect(told(answer)).to.equal('invalid_domain');
      else {
        expect(answer).to.deep.equal({ kind: 'valid', expiresAt: model.end, at: model.now });
        site.count++;
        model.count++;
        site.last = model.last = model.now;
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
  step(verb, async (model, real) => {
    const { from, to, event } = verdicts[verb];
    const answer = await real.issuing.change(real.key, verb, seller);
    if (!from.some((one) => one === statusOf(model))) expect(told(answer)).to.equal('transition_not_allowed');
    else {
      expect(told(answer)).to.equal('done');
      model.standing = to;
      model.events.push(`${model.now} ${event} by seller`);
    }
  }),
);

const day = 86_400_000;
const wish = fc.record({
  after: fc.constantFrom('now', 'end'),
  by: fc.constantFrom(-day, -1, 0, 1, 1000, day, 30 * day),
});

const renew = fc.option(wish, { freq: 5 }).map((wanted) =>
  step(wanted === null ? 'renew for ever' : `renew to ${wanted.after} + ${wanted.by}`, async (model, real) => {
    const end = wanted && wanted.by + (wanted.after === 'now' ? model.now : (model.end ?? model.now));
    const answer = await real.issuing.renew(real.key, end, seller);
    const later = end === null || (end > model.now && model.end !== null && end > model.end);
    if (!['active', 'expired'].includes(statusOf(model))) expect(told(answer)).to.equal('transition_not_allowed');
    else if (!later) expect(told(answer)).to.equal('expiry_not_later');
    else {
      expect(answer).to.include({ key: real.key, expiresAt: end });
      model.end = end;
      model.events.push(`${model.now} license.renewed by seller`);
    }
  }),
);

const pass = fc.constantFrom(1, 1000, 3_600_000, day, 31 * day).map((milliseconds) =>
  step(`${milliseconds} ms pass`, async (model, real) => {
    model.now += milliseconds;
    real.clock.set(model.now);
  }),
);

const reachTheEnd = fc.constantFrom(-1, 0, 1).map((by) =>
  step(
    `time passes to the end ${by < 0 ? '-' : '+'} ${Math.abs(by)} ms`,
    async (model, real) => {
      model.now = (model.end ?? model.now) + by;
      real.clock.set(model.now);
    },
    (model) => model.end !== null && model.end + by >= model.now,
  ),
);

/** Generates random commands on a license. Commands that keep it valid are more frequent than those that end it. */
export const licenseCommands = (maxCommands: number) =>
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
