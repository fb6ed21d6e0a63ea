import { event } from '../events/event.ts';
import type { ProductId } from '../id.ts';
import { normalizeDomain } from '../licensing/domain-name.ts';
import { type LicenseKey, parseLicenseKey } from '../licensing/license-key.ts';
import type { CountedStrays, StrayCalls, StrayCounter } from '../licensing/stray-counter.ts';
import { leakedTo, leakRule, mergeStrays, type Stray, straysKeptFor } from '../licensing/strays.ts';
import { newsTo, peopleToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { RegistrableDomain } from '../ports/public-suffix.ts';
import type { StrayDay, StrayStore } from '../ports/stray-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { unknownLicense } from './find-license.ts';
import { findProductOf, reaches, type Seller } from './seller.ts';
import { startOf, steps } from './usage-hours.ts';

/** The server itself finds them. */
const by = { actor: 'server' };
/** How many license keys one run stores, so that a flood with many keys takes little of the database. */
const atOnce = 200;
/** How many domains of a license are looked at to find out which hosts are its own. */
const ownDomains = 1_000;
/** How many days a plot has, and how many licenses of a product are listed. */
export const strayViews = { days: 90, licenses: 100 } as const;

/** The foreign domains that ask with the key of a license, and the refused calls of each day. */
export interface StrayReport {
  readonly strays: readonly Stray[];
  /** One for each day of the last 90, oldest first. */
  readonly days: readonly StrayDay[];
}

/** A license of a product with its refused calls of the last 90 days, and the number of its foreign domains. */
export interface StrayingLicense {
  readonly key: LicenseKey;
  readonly calls: number;
  readonly domains: number;
}

/** Where licenses are asked for that are not activated there: their sellers see it. Needs `licenses:manage`. */
export interface SellerStrays {
  ofLicense(key: string, seller: Seller): Promise<StrayReport | Refused<'invalid_key'>>;
  /** The licenses with the most refused calls first, at most 100. Needs `products:manage`. */
  ofProduct(
    idOrSlug: string,
    seller: Seller,
  ): Promise<
    { readonly licenses: readonly StrayingLicense[]; readonly days: readonly StrayDay[] } | Refused<'product_not_found'>
  >;
}

interface SellerStraysPorts {
  readonly strays: Pick<StrayStore, 'ofLicense' | 'ofProduct' | 'days'>;
  readonly licenses: Pick<LicenseStore, 'look'>;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly clock: Clock;
}

export function createSellerStrays({ strays, licenses, products, clock }: SellerStraysPorts): SellerStrays {
  async function daysOf(of: { readonly key: LicenseKey } | { readonly productId: ProductId }): Promise<StrayDay[]> {
    const from = firstDay(clock.now());
    const found = new Map((await strays.days(of, from)).map(({ day, calls }) => [day, calls]));
    return Array.from({ length: strayViews.days }, (_, n) => from + n * steps.day).map((day) => ({
      day,
      calls: found.get(day) ?? 0,
    }));
  }

  return {
    async ofLicense(text, seller) {
      const key = parseLicenseKey(text);
      const found = key && (await licenses.look({ key }));
      if (key === undefined || found === undefined || !reaches(seller, 'licenses:manage', found.license)) {
        return unknownLicense();
      }
      const [own, days] = await Promise.all([strays.ofLicense(key), daysOf({ key })]);
      return { strays: own, days };
    },

    async ofProduct(idOrSlug, seller) {
      const product = await findProductOf(products, idOrSlug, seller, 'products:manage');
      if (isRefused(product)) return product;
      const [found, days] = await Promise.all([
        strays.ofProduct(product.id, firstDay(clock.now()), strayViews.licenses),
        daysOf({ productId: product.id }),
      ]);
      return { licenses: found, days };
    },
  };
}

function firstDay(now: Instant): Instant {
  return startOf('day', now) - (strayViews.days - 1) * steps.day;
}

interface RecordPorts {
  readonly counter: Pick<StrayCounter, 'take'>;
  readonly strays: Pick<StrayStore, 'change'>;
  readonly licenses: Pick<LicenseStore, 'findAll'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  readonly registrableDomain: RegistrableDomain;
  readonly write: WriteLetter;
  readonly clock: Clock;
}

/**
 * Stores what was counted since the last call, and tells the seller of a license that is suspected to be leaked. Returns how many
 * licenses were asked for by foreign domains. What a failure or the end of `goesOn` leaves is forgotten: these are figures.
 */
export async function recordStrays(ports: RecordPorts, goesOn: () => boolean): Promise<number> {
  let licenses = 0;
  for (const counted of ports.counter.take(atOnce)) {
    if (!goesOn()) break;
    if (await recordOne(ports, counted)) licenses++;
  }
  return licenses;
}

async function recordOne(ports: RecordPorts, counted: CountedStrays): Promise<boolean> {
  const own = parseLicenseKey(counted.licenseKey);
  const [byKey] = own === undefined ? [] : await ports.licenses.findAll([own], ownDomains);
  const alias = byKey === undefined ? await ports.aliases.find(counted.licenseKey) : undefined;
  const [found] = byKey ? [byKey] : alias ? await ports.licenses.findAll([alias.license], ownDomains) : [];
  if (found === undefined) return false;
  const { license, domains } = found;
  const ownNames = new Set(domains.map(ports.registrableDomain));
  const foreign = byDomain(counted.hosts, ports.registrableDomain).filter(({ host }) => !ownNames.has(host));
  const calls = foreign.reduce((sum, one) => sum + one.calls, counted.others);
  if (calls === 0) return false;
  const now = ports.clock.now();
  const people = await peopleToTell(license.ownerId, ports.accounts);
  await ports.strays.change(license.key, now, ({ title, strays, suspectedAt }) => {
    const merged = mergeStrays(
      strays.filter(({ lastAt }) => now - lastAt < straysKeptFor),
      foreign,
    );
    const leaked = suspectedAt !== null && now - suspectedAt < leakRule.again ? [] : leakedTo(merged.strays, now);
    if (leaked.length === 0) return { ...merged, calls };
    const facts = { licenseKey: license.key, title, isLive: license.isLive, domains: leaked.length };
    return {
      ...{ ...merged, calls },
      event: event('license.leak_suspected', license.key, by, now, { domains: leaked.join(' ') }),
      news: newsTo(
        people,
        { kind: 'license_leak_suspected', ...facts },
        (name) => ({ kind: 'license-leak-suspected', name, ...facts, examples: leaked.slice(0, 5) }),
        { write: ports.write, now },
      ),
    };
  });
  return true;
}

/** Adds up the calls of the hosts of one domain. What is no domain is left out. */
function byDomain(hosts: readonly StrayCalls[], registrableDomain: RegistrableDomain): StrayCalls[] {
  const sums = new Map<string, StrayCalls>();
  for (const one of hosts) {
    const name = normalizeDomain(one.host);
    if (name === undefined) continue;
    const host = registrableDomain(name);
    const there = sums.get(host);
    sums.set(host, {
      ...{ host, network: there?.network ?? one.network, calls: one.calls + (there?.calls ?? 0) },
      firstAt: Math.min(one.firstAt, there?.firstAt ?? one.firstAt),
      lastAt: Math.max(one.lastAt, there?.lastAt ?? one.lastAt),
    });
  }
  return [...sums.values()];
}
