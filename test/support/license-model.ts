import { expect } from 'chai';
import fc from 'fast-check';
import type { ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Actor } from '../../core/accounts/role.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { HostKind } from '../../core/licensing/hosts.ts';
import type { Issuing } from '../../core/licensing/issuing.ts';
import type { Activation } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseSummary, Licensing } from '../../core/licensing/licensing.ts';
import type { HostRules } from '../../core/marketplace/product-terms.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import type { LicenseDomains } from '../../core/selling/licenses.ts';
import type { Stores } from './backends.ts';
import { domain, must } from './license-acts.ts';

/** A simple model of a license. It follows the spec and does not use core's rules. */
export interface Model {
  now: number;
  standing: 'good' | 'suspended' | 'revoked';
  readonly slots: number;
  readonly options: Options;
  end: number | null;
  /** Days from the first activation to the end, until it. */
  days: number | null;
  /** The end of its updates. */
  updates: number | null;
  /** Whether the updates end with the license, wherever that end moves. */
  readonly endTogether: boolean;
  readonly entitlements: readonly string[];
  /** Those that are valid, newest first. */
  sites: Site[];
  /** The number of moves in each month. */
  readonly moves: Map<string, number>;
  count: number;
  last: number | null;
  /** The changes, in order. */
  readonly events: string[];
}

interface Site {
  readonly name: DomainName;
  readonly since: number;
  readonly kind: HostKind;
  count: number;
  last: number | null;
  /** From when on it is invalid, and where it is moved to. */
  ends: number | null;
  to: DomainName | null;
  /** Where it came from, if both were valid for a while. */
  readonly from: DomainName | null;
}

/** The options of the product that concern hosts. */
export interface Options {
  readonly isWwwSame: boolean;
  readonly areOthersFree: boolean;
}

/** Moves of a license in a month. */
export const movesPerMonth = 2;

/** The real service, and the license of this test run. */
export interface Real {
  readonly licensing: Licensing;
  readonly issuing: Issuing;
  readonly domains: LicenseDomains;
  readonly removeEnded: () => Promise<unknown>;
  readonly audit: Stores['audit'];
  readonly clock: ManualClock;
  readonly key: LicenseKey;
  readonly product: LicenseSummary['product'];
  readonly issuedAt: number;
}

const day = 86_400_000;

const seller: Actor = { kind: 'operator', by: { actor: 'seller', reason: 'as it pleases' } };

const sites = ['a.example', 'www.a.example', 'münchen.example', '[::1]', 'x.preview.example'].map(domain);
const kinds: Readonly<Record<string, HostKind>> = { '[::1]': 'local', 'x.preview.example': 'preview' };

/** The terms of the product with these options. */
export function hostsOf({ isWwwSame, areOthersFree }: Options): HostRules {
  return {
    localHostsAreFree: areOthersFree,
    previewHosts: areOthersFree ? ['*.preview.example'] : [],
    wwwIsApex: isWwwSame,
  };
}

function siteNameOf({ options }: Readonly<Model>, name: DomainName): DomainName {
  return options.isWwwSame && name === 'www.a.example' ? domain('a.example') : name;
}

function kindIn({ options }: Readonly<Model>, name: DomainName): HostKind {
  return (options.areOthersFree && kinds[name]) || 'slot';
}

function usedSlots({ sites }: Readonly<Model>): number {
  return sites.filter(({ kind, ends }) => kind === 'slot' && ends === null).length;
}

/** Adds a site, which starts the license if it takes a slot. */
function addSite(model: Model, name: DomainName, from: DomainName | null): void {
  const kind = kindIn(model, name);
  model.sites.unshift({ name, since: model.now, kind, count: 0, last: null, ends: null, to: null, from });
  if (kind !== 'slot' || model.days === null) return;
  setEnd(model, model.now + model.days * day);
}

function setEnd(model: Model, end: number | null): void {
  model.end = end;
  model.days = null;
  if (model.endTogether) model.updates = end;
}

function setTime(model: Model, real: Real, now: number): void {
  model.now = now;
  model.sites = model.sites.filter(({ ends }) => ends === null || now < ends);
  real.clock.set(now);
}

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
    newest: model.sites[0] && shown(model.sites[0]),
    domains: model.sites.filter(({ kind }) => kind === 'slot').map(shown),
    domainsWithoutSlot: model.sites.filter(({ kind }) => kind !== 'slot').map(shown),
    domainsUsed: usedSlots(model),
    maxDomains: model.slots,
    verifications: { verificationCount: model.count, lastVerifiedAt: model.last },
    expiresAt: model.end,
    updatesUntil: model.updates,
    entitlements: model.entitlements,
    createdAt: real.issuedAt,
  } satisfies LicenseSummary);
}

function shown({ name, since, kind, count, last, ends, to, from }: Site): Activation {
  const moving = { endsAt: ends, movedTo: to, movedFrom: from };
  return { domain: name, activatedAt: since, kind, ...moving, verificationCount: count, lastVerifiedAt: last };
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
    const site = siteNameOf(model, name);
    const known = model.sites.some((one) => one.name === site);
    const isFull = kindIn(model, site) === 'slot' && usedSlots(model) === model.slots;
    if (statusOf(model) !== 'active') expect(told(answer)).to.equal(statusOf(model));
    else if (!known && isFull) expect(told(answer)).to.equal('domain_limit_reached');
    else {
      expect(answer).to.deep.equal({ key: real.key, domain: site });
      if (known) return;
      addSite(model, site, null);
      model.events.push(`${model.now} license.activated by license-api`);
    }
  }),
);

const deactivate = where.map(([name, spell]) =>
  step(`deactivate ${name}`, async (model, real) => {
    const answer = await real.licensing.deactivate({ licenseKey: spell(real.key), domain: name });
    removeSite(model, real, name, answer, 'license-api');
  }),
);

const remove = where.map(([name, spell]) =>
  step(`the seller removes ${name}`, async (model, real) => {
    const answer = await real.domains.remove(spell(real.key), name, { actor: seller, mode: 'test' });
    removeSite(model, real, name, answer, 'seller');
  }),
);

/** Compares the answer, and removes the site and the one that is being moved to it. */
function removeSite(model: Model, real: Real, name: DomainName, answer: object, by: string): void {
  const site = siteNameOf(model, name);
  if (!model.sites.some((one) => one.name === site)) expect(told(answer)).to.equal('domain_not_found');
  else {
    expect(answer).to.deep.equal({ key: real.key, domain: site });
    model.sites = model.sites.filter((one) => one.name !== site && one.to !== site);
    model.events.push(`${model.now} license.deactivated by ${by}`);
  }
}

function whyNotMoved(model: Readonly<Model>, from: DomainName, to: DomainName): string | undefined {
  const [leaving, there] = [from, to].map((name) => model.sites.find((one) => one.name === name));
  if (statusOf(model) !== 'active') return statusOf(model);
  if (leaving === undefined) return 'domain_not_found';
  if (from === to) return 'same_domain';
  if (leaving.ends !== null) return leaving.to === to ? undefined : 'domain_is_moving';
  if (there !== undefined && there.to !== from) return 'domain_already_activated';
  if ((model.moves.get(monthOf(model)) ?? 0) >= movesPerMonth) return 'move_limit_reached';
  const isMore = leaving.kind !== 'slot' && kindIn(model, to) === 'slot';
  return isMore && usedSlots(model) === model.slots ? 'domain_limit_reached' : undefined;
}

function monthOf({ now }: Readonly<Model>): string {
  const date = new Date(now);
  return `${date.getUTCFullYear()} ${date.getUTCMonth()}`;
}

const anySite = fc.constantFrom(...sites);

const move = fc.tuple(anySite, anySite, fc.constantFrom(0, 1, 24, 72)).map(([one, other, overlapHours]) =>
  step(`move ${one} to ${other} in ${overlapHours} h`, async (model, real) => {
    const asked = { from: one, to: other, overlapHours };
    const answer = await real.domains.move(real.key, asked, { actor: seller, mode: 'test' });
    const [from, to] = [siteNameOf(model, one), siteNameOf(model, other)];
    const why = whyNotMoved(model, from, to);
    if (why !== undefined) {
      expect(told(answer)).to.equal(why);
      return;
    }
    const leaving = must(model.sites.find(({ name }) => name === from));
    const isDone = leaving.to === to;
    const isSlotGone = leaving.kind === 'slot' && kindIn(model, to) !== 'slot';
    const hours = isSlotGone ? 0 : overlapHours;
    const ends = model.now + hours * 3_600_000;
    expect(answer).to.deep.equal({ key: real.key, domain: to, endsAt: isDone ? undefined : ends });
    if (isDone) return;
    model.sites = model.sites.filter((site) => site.to !== from && (hours > 0 || site !== leaving));
    leaving.ends = ends;
    leaving.to = to;
    addSite(model, to, hours > 0 ? from : null);
    model.moves.set(monthOf(model), (model.moves.get(monthOf(model)) ?? 0) + 1);
    model.events.push(`${model.now} license.domain_moved by seller`);
  }),
);

const cleanUp = fc.constant(step('the job removes ended sites', async (_, real) => void (await real.removeEnded())));

const asked = fc.option(fc.constantFrom('pro', 'other'), { freq: 2, nil: undefined });

const verify = fc.tuple(where, fc.integer({ min: 1, max: 5 }), asked).map(([[name, spell], times, entitlement]) =>
  step(`verify ${name} ${times} times at once${entitlement ? ` with ${entitlement}` : ''}`, async (model, real) => {
    const answers = await Promise.all(
      Array.from({ length: times }, () =>
        real.licensing.verify({ licenseKey: spell(real.key), domain: name, entitlement }),
      ),
    );
    const site = model.sites.find((one) => one.name === siteNameOf(model, name));
    for (const answer of answers) {
      if (statusOf(model) !== 'active') expect(told(answer)).to.equal(statusOf(model));
      else if (site === undefined) expect(told(answer)).to.equal('invalid_domain');
      else {
        const { end, updates: updatesUntil, entitlements, now } = model;
        if (entitlement !== undefined && !entitlements.includes(entitlement)) {
          expect(told(answer)).to.equal('not_entitled');
          continue;
        }
        expect(answer).to.deep.equal({ kind: 'valid', expiresAt: end, updatesUntil, entitlements, at: now });
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

const wish = fc.record({
  after: fc.constantFrom('now', 'end'),
  by: fc.constantFrom(-day, -1, 0, 1, 1000, day, 30 * day),
});

const renew = fc.option(wish, { freq: 5 }).map((wanted) =>
  step(wanted === null ? 'renew for ever' : `renew to ${wanted.after} + ${wanted.by}`, async (model, real) => {
    const end = wanted && wanted.by + (wanted.after === 'now' ? model.now : (model.end ?? model.now));
    const answer = await real.issuing.renew(real.key, end, seller);
    const isLater = model.days !== null || (model.end !== null && end !== null && end > model.end);
    const later = end === null || (end > model.now && isLater);
    if (!['active', 'expired'].includes(statusOf(model))) expect(told(answer)).to.equal('transition_not_allowed');
    else if (!later) expect(told(answer)).to.equal('expiry_not_later');
    else {
      expect(answer).to.include({ key: real.key, expiresAt: end });
      setEnd(model, end);
      model.events.push(`${model.now} license.renewed by seller`);
    }
  }),
);

const pass = fc.constantFrom(1, 1000, 3_600_000, day, 31 * day).map((milliseconds) =>
  step(`${milliseconds} ms pass`, async (model, real) => {
    setTime(model, real, model.now + milliseconds);
  }),
);

const reachTheEndOfMove = fc.constantFrom(-1, 0).map((by) =>
  step(
    `time passes to the end of a move ${by} ms`,
    async (model, real) => setTime(model, real, Math.max(model.now, (endOfMove(model) ?? 0) + by)),
    (model) => endOfMove(model) !== undefined,
  ),
);

function endOfMove({ sites }: Readonly<Model>): number | undefined {
  return sites.flatMap(({ ends }) => ends ?? [])[0];
}

const reachTheEnd = fc.constantFrom(-1, 0, 1).map((by) =>
  step(
    `time passes to the end ${by < 0 ? '-' : '+'} ${Math.abs(by)} ms`,
    async (model, real) => {
      setTime(model, real, (model.end ?? model.now) + by);
    },
    (model) => model.end !== null && model.end + by >= model.now,
  ),
);

/** Generates random commands on a license. Commands that keep it valid are more frequent than those that end it. */
export const licenseCommands = (maxCommands: number) =>
  fc.commands(
    [
      ...[activate, activate, activate, verify, verify, verify, deactivate, remove, move, move, move],
      ...[judge, renew, renew, pass, reachTheEnd, reachTheEndOfMove, cleanUp],
    ],
    { maxCommands, size: 'max' },
  );

/** Generates the initial terms of a license. */
export const terms = fc.record({
  slots: fc.integer({ min: 1, max: 3 }),
  /** Milliseconds from issue to expiry. */
  lasts: fc.option(fc.constantFrom(0, 1, 1000, day, 30 * day), { freq: 3 }),
  /** Days from the first activation to the expiry. Then `lasts` is ignored. */
  days: fc.option(fc.constantFrom(1, 30), { freq: 2 }),
  /** Until when it gets updates: for ever, as long as it is valid, or until an end of its own. */
  updates: fc.constantFrom('all', 'together', 'own'),
  entitlements: fc.constantFrom([], ['pro'], ['basic', 'pro']),
  options: fc.record({ isWwwSame: fc.boolean(), areOthersFree: fc.boolean() }),
  /** The number of licenses that are issued before it, in the same call. */
  siblings: fc.nat(2),
});
