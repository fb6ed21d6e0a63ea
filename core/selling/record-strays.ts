import { countAgainst } from '../accounts/sign-in-limits.ts';
import { event } from '../events/event.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { License } from '../licensing/license.ts';
import { type LicenseKey, parseLicenseKey } from '../licensing/license-key.ts';
import type { CountedStrays, StrayCounter } from '../licensing/stray-counter.ts';
import { foreignDomains, leakedTo, leakRule, mergeStrays, straysKeptFor } from '../licensing/strays.ts';
import { newsTo, peopleToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { News } from '../ports/change.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { RegistrableDomain } from '../ports/public-suffix.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { StrayStore } from '../ports/stray-store.ts';
import { inSeconds } from '../time.ts';

/** The server itself finds them. */
const by = { actor: 'server' };
/** How many license keys one run stores, so that a flood with many keys takes little of the database. */
const atOnce = 200;
/** How many domains of a license are looked at to find out which hosts are its own. */
const ownDomains = 1_000;
/** How many times in a day the calls of one network are stored: so a seller who asks for many own licenses makes few rows. */
const ofNetwork = { limit: 2_000, seconds: inSeconds.day };
/** How many mails about leaks a seller gets in a day. The others are notifications only. */
const mailsOfSeller = { limit: 3, seconds: inSeconds.day };

interface Ports {
  readonly counter: Pick<StrayCounter, 'take'>;
  readonly strays: Pick<StrayStore, 'change'>;
  readonly licenses: Pick<LicenseStore, 'findAll'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  readonly limiter: RateLimiter;
  readonly registrableDomain: RegistrableDomain;
  readonly write: WriteLetter;
  readonly clock: Clock;
}

/** The refused calls with all keys of one license. */
interface Found {
  readonly license: License;
  readonly activated: readonly DomainName[];
  readonly counted: readonly CountedStrays[];
}

/**
 * Stores what was counted since the last call, and tells the seller of a license whose key is suspected to be leaked. Returns how many licenses
 * strays have asked for. What a failure or the end of `goesOn` leaves is forgotten: these are figures.
 */
export async function recordStrays(ports: Ports, goesOn: () => boolean): Promise<number> {
  let licenses = 0;
  for (const found of await byLicense(ports)) {
    if (!goesOn()) break;
    if (await recordOne(ports, found)) licenses++;
  }
  return licenses;
}

/** A license has several keys, and each key has several spellings. */
async function byLicense(ports: Ports): Promise<Iterable<Found>> {
  const found = new Map<LicenseKey, Found>();
  for (const counted of ports.counter.take(atOnce)) {
    const one = await licenseOf(ports, counted.licenseKey);
    if (one === undefined) continue;
    const { key } = one.license;
    found.set(key, {
      license: one.license,
      activated: one.domains,
      counted: [...(found.get(key)?.counted ?? []), counted],
    });
  }
  return found.values();
}

async function licenseOf({ licenses, aliases }: Ports, text: string) {
  const key = parseLicenseKey(text);
  const [own] = key === undefined ? [] : await licenses.findAll([key], ownDomains);
  if (own !== undefined) return own;
  const alias = await aliases.find(text);
  const [other] = alias === undefined ? [] : await licenses.findAll([alias.license], ownDomains);
  return other;
}

async function recordOne(ports: Ports, { license, activated, counted }: Found): Promise<boolean> {
  const { limiter, clock, registrableDomain } = ports;
  const [first] = counted;
  if (first === undefined) return false;
  if (await countAgainst(limiter, clock, `strays:${first.broughtBy}`, [ofNetwork])) return false;
  const now = clock.now();
  const tell = await tellingOf(ports, license, now);
  const hosts = counted.flatMap((one) => one.hosts);
  const others = counted.reduce((sum, one) => sum + one.others, 0);
  let leaked: readonly string[] = [];
  let isForeign = false;
  await ports.strays.change(license.key, now, ({ product, strays, suspectedAt }) => {
    const found = foreignDomains(hosts, { activated, hosts: product.hosts, registrableDomain });
    const calls = found.reduce((sum, one) => sum + one.calls, others);
    isForeign = calls > 0;
    if (!isForeign) return undefined;
    const after = mergeStrays(
      strays.filter(({ lastAt }) => now - lastAt < straysKeptFor),
      found,
    );
    leaked = suspectedAt !== null && now - suspectedAt < leakRule.again ? [] : leakedTo(after, now);
    if (leaked.length === 0) return { strays: after, calls };
    const told = event('license.leak_suspected', license.key, by, now, { domains: leaked.join(' ') });
    return { strays: after, calls, event: told, news: tell(product.title, leaked.length) };
  });
  if (leaked.length > 0) await countAgainst(limiter, clock, mailsOf(license), [mailsOfSeller]);
  return isForeign;
}

function mailsOf({ ownerId }: License): string {
  return `strays-mail:${ownerId ?? 'site'}`;
}

/** Returns a function that makes the news of a suspected leak. Of many on one day, only the first come by mail, too. */
async function tellingOf({ accounts, limiter, clock, write }: Ports, license: License, now: Instant) {
  const people = await peopleToTell(license.ownerId, accounts);
  const hasEnough = await countAgainst(limiter, clock, mailsOf(license), [mailsOfSeller], { peek: true });
  return (title: string, domains: number): News => {
    const facts = { licenseKey: license.key, title, isLive: license.isLive, domains };
    return newsTo(
      people,
      { kind: 'license_leak_suspected', ...facts },
      hasEnough ? undefined : (name) => ({ kind: 'license-leak-suspected', name, ...facts }),
      { write, now },
    );
  };
}
