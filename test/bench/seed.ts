import type { Knex } from 'knex';
import { isPostgres } from '../../adapters/sql/database.ts';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { UserId } from '../../core/id.ts';
import { mintLicenseKey } from '../../core/licensing/license-key.ts';
import { isRefused } from '../../core/refusal.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { tablesOfSchema } from '../support/postgres-tables.ts';
import { randomOf } from '../torture/random.ts';

/** A license and the domain on which it is activated. */
export interface Binding {
  readonly key: string;
  readonly domain: string;
}

/** Returns licenses that depend only on the seed. */
export function mintBindings(count: number, seed: number): Binding[] {
  const random = randomOf(seed);
  const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256);
  return Array.from({ length: count }, (_, index) => ({
    key: mintLicenseKey({ bytes }),
    domain: `site-${index}.example.com`,
  }));
}

const rowsAtOnce = 20_000;

/** Statements for many rows may take minutes on a slow machine. */
const forBulk = { FILES_URL: 'temporary:', LOG_LEVEL: 'silent', DATABASE_STATEMENT_TIMEOUT: '600' };

/** Opens the service's parts in this process for some work on a database, and closes them. */
export async function withParts<T>(databaseUrl: string, work: (parts: Parts) => Promise<T>): Promise<T> {
  const parts = await compose(readConfig({ ...forBulk, DATABASE_URL: databaseUrl }));
  return await work(parts).finally(() => parts.close());
}

/** Fills a new database with activated licenses. They are perpetual, or expired long ago. */
export function seed(databaseUrl: string, bindings: readonly Binding[], areExpired = false): Promise<void> {
  return withParts(databaseUrl, async (parts) => {
    await addLicenses(parts, null, bindings, areExpired ? 1 : null);
    await settle(parts);
  });
}

/** Adds a product of this owner, with activated licenses. */
export async function addLicenses(
  parts: Parts,
  ownerId: UserId | null,
  bindings: readonly Binding[],
  expiresAt: number | null = null,
): Promise<void> {
  const { id } = good(await (await parts.get(t.products)).add({ title: 'Sample', ownerId }, operator));
  const database = await parts.get(t.database);
  for (let start = 0; start < bindings.length; start += rowsAtOnce) {
    const rows = JSON.stringify(bindings.slice(start, start + rowsAtOnce).map(({ key, domain }) => [key, domain]));
    await database.write((trx) => insert(trx, rows, { id, ownerId, expiresAt }));
  }
}

/** Does the usual work after a bulk load: what autovacuum of Postgres does after a while, and a checkpoint of SQLite's log. */
export async function settle(parts: Parts): Promise<void> {
  const database = await parts.get(t.database);
  await database.read(async (knex) =>
    knex.raw(isPostgres(knex) ? `VACUUM (ANALYZE) ${await tablesOfSchema(knex)}` : 'PRAGMA wal_checkpoint'),
  );
}

/** A user who may publish and upload. */
export interface Seller {
  readonly id: UserId;
  /** The value of `X-API-Key`. */
  readonly apiKey: string;
}

export async function addSeller(parts: Parts): Promise<Seller> {
  const accounts = await parts.get(t.accounts);
  const user = await accounts.add({ name: 'Seller', email: 'seller@example.com', tier: 'enterprise' }, operator);
  if (isRefused(user)) throw new Error(user.reason);
  const made = await accounts.createKey(
    user.email,
    { name: 'bench', mode: 'live', scopes: null, expiresAt: null },
    operator,
  );
  if (isRefused(made)) throw new Error(made.reason);
  return { id: user.id, apiKey: made.secret };
}

interface Common {
  readonly id: number;
  readonly ownerId: number | null;
  readonly expiresAt: number | null;
}

async function insert(trx: Knex.Transaction, rows: string, { id, ownerId, expiresAt }: Common): Promise<void> {
  const given = isPostgres(trx) ? 'jsonb_array_elements(?::jsonb) AS r (value)' : 'json_each(?) AS r';
  await trx.raw(
    `INSERT INTO licenses (key, product_id, owner_id, standing, max_domains, domains_used, activations_made, created_at, expires_at)
     SELECT r.value ->> 0, ${id}, ${ownerId}, 'active', 3, 1, 1, 0, ${expiresAt} FROM ${given}`,
    [rows],
  );
  await trx.raw(
    `INSERT INTO activations (license_id, domain, ordinal, activated_at)
     SELECT l.id, r.value ->> 1, 1, 0 FROM ${given} JOIN licenses AS l ON l.key = r.value ->> 0`,
    [rows],
  );
}

/** Returns the number of all verifications that a database has counted. */
export function countVerifications(databaseUrl: string): Promise<number> {
  return withParts(databaseUrl, async (parts) => {
    const database = await parts.get(t.database);
    const sum = async (table: string, column: string) => {
      const [row] = await database.read((knex) => knex(table).sum({ sum: column }));
      return Number(row?.sum ?? 0);
    };
    return (await sum('activations', 'verification_count')) + (await sum('licenses', 'retired_verification_count'));
  });
}
