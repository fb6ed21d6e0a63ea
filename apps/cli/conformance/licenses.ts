import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../adapters/node/clock.ts';
import { rest } from '../acting.ts';
import type { Api } from '../api.ts';
import { Stop } from '../stop.ts';
import { type Case, type Keys, type LicenseKind, licenseKinds } from './kit.ts';
import { domainsOfMany } from './vectors.ts';

/** Gives each case the licenses that it needs. */
export type LicensesFor = (one: Case) => Promise<Keys>;

/** How long an expired license is valid before. The server refuses an end that has passed, and its clock may be ahead. */
const shortLife = 3_000;

/**
 * Issues new licenses of a product for all cases that will run. Those that expire are ready some seconds later. Throws `Stop` if the key may
 * not issue them.
 */
export async function issueLicenses({ post }: Api, product: string, wanted: readonly Case[]): Promise<LicensesFor> {
  const issue = async (count: number, maxDomains: number, expires?: number) => {
    if (count === 0) return [];
    const end = expires === undefined ? null : new Date(expires).toISOString();
    const body = { product, count, max_domains: maxDomains, expires_at: end, reference: 'conformance' };
    return (await post('/api/licenses', { body })).data.map(({ key }) => key);
  };
  const needed = neededLicenses(wanted);
  const free: Record<LicenseKind, string[]> = {
    one: await issue(needed.one, 1),
    two: await issue(needed.two, 2),
    many: await issue(needed.many, domainsOfMany),
    suspended: await issue(needed.suspended, 1),
    revoked: await issue(needed.revoked, 1),
    expired: [],
  };
  // Just before its call: the others may have taken longer than that.
  const ends = systemClock.now() + shortLife;
  free.expired = await issue(needed.expired, 1, ends);
  const reason = 'conformance';
  for (const key of free.suspended) await post('/api/licenses/{key}/suspend', { path: { key }, body: { reason } });
  for (const key of free.revoked) await post('/api/licenses/{key}/revoke', { path: { key }, body: { reason } });
  return async ({ licenses }) => {
    if (licenses.includes('expired')) await rest(Math.max(0, ends + 1_000 - systemClock.now()));
    return Object.fromEntries(licenses.map((kind) => [kind, free[kind].shift()]));
  };
}

/**
 * Reads keys from a file: a JSON object with a list of keys for each kind of license. A case gets a key that no other case has
 * used, so that it is activated nowhere. Throws `Stop` if the file is wrong.
 */
export async function readLicenses(path: string): Promise<LicensesFor> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Stop('wrongUsage', `${path} cannot be read: ${error.message}`);
  });
  const free = parsedKeys(text);
  if (free === undefined) {
    throw new Stop(
      'wrongUsage',
      `${path} is no file of licenses.`,
      `It must be a JSON object such as {"one": ["LIC-…", "LIC-…"], "two": ["LIC-…"]}, with these names: ${licenseKinds.join(', ')}.`,
    );
  }
  return async ({ licenses }) => Object.fromEntries(licenses.map((kind) => [kind, free[kind]?.shift()]));
}

function parsedKeys(text: string): Partial<Record<LicenseKind, string[]>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const isRight = Object.entries(value).every(
      ([kind, keys]) =>
        (licenseKinds as readonly string[]).includes(kind) &&
        Array.isArray(keys) &&
        keys.every((key) => typeof key === 'string'),
    );
    return isRight ? (value as Partial<Record<LicenseKind, string[]>>) : undefined;
  } catch {
    return undefined;
  }
}

/** How many licenses of each kind some cases need. */
export function neededLicenses(wanted: readonly Case[]): Readonly<Record<LicenseKind, number>> {
  const count = (kind: LicenseKind) => wanted.filter(({ licenses }) => licenses.includes(kind)).length;
  return Object.fromEntries(licenseKinds.map((kind) => [kind, count(kind)])) as Record<LicenseKind, number>;
}
