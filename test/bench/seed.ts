import type { Knex } from 'knex';
import { isPostgres } from '../../adapters/sql/database.ts';
import { compose } from '../../apps/compose.ts';
import { readConfig } from '../../apps/config.ts';
import { t } from '../../apps/tokens.ts';
import { mintLicenseKey } from '../../core/licensing/license-key.ts';
import { randomOf } from '../torture/random.ts';

/** A license with the domain that it is activated on. */
export interface Binding {
  readonly key: string;
  readonly domain: string;
}

/** Licenses that depend on the seed alone. */
export function mintBindings(count: number, seed: number): Binding[] {
  const random = randomOf(seed);
  const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256);
  return Array.from({ length: count }, (_, index) => ({
    key: mintLicenseKey({ bytes }),
    domain: `site-${index}.example.com`,
  }));
}

const rowsAtOnce = 20_000;

/** Fills a new database with licenses that are activated already, and answers the sum of what was verified of them. */
export async function seed(databaseUrl: string, bindings: readonly Binding[]): Promise<void> {
  const parts = await compose(readConfig({ DATABASE_URL: databaseUrl, FILES_URL: 'temporary:', LOG_LEVEL: 'silent' }));
  try {
    const { id } = await (await parts.get(t.products)).add({ title: 'Sample', ownerId: null }, { actor: 'bench' });
    const database = await parts.get(t.database);
    for (let start = 0; start < bindings.length; start += rowsAtOnce) {
      const rows = bindings.slice(start, start + rowsAtOnce).map(({ key, domain }) => [key, domain]);
      await database.write((trx) => insert(trx, id, JSON.stringify(rows)));
    }
    // What follows a bulk load anywhere: statistics for the planner, and nothing left to be written.
    await database.read((knex) => knex.raw(isPostgresDatabase(databaseUrl) ? 'ANALYZE' : 'PRAGMA wal_checkpoint'));
  } finally {
    await parts.close();
  }
}

async function insert(trx: Knex.Transaction, productId: number, rows: string): Promise<void> {
  const given = isPostgres(trx) ? 'jsonb_array_elements(?::jsonb) AS r (value)' : 'json_each(?) AS r';
  await trx.raw(
    `INSERT INTO licenses (key, product_id, standing, max_domains, domains_used, activations_made, created_at)
     SELECT r.value ->> 0, ${productId}, 'active', 3, 1, 1, 0 FROM ${given}`,
    [rows],
  );
  await trx.raw(
    `INSERT INTO activations (license_id, domain, ordinal, activated_at)
     SELECT l.id, r.value ->> 1, 1, 0 FROM ${given} JOIN licenses AS l ON l.key = r.value ->> 0`,
    [rows],
  );
}

function isPostgresDatabase(url: string): boolean {
  return url.startsWith('postgres');
}

/** All verifications that a database has counted. */
export async function countVerifications(databaseUrl: string): Promise<number> {
  const parts = await compose(readConfig({ DATABASE_URL: databaseUrl, FILES_URL: 'temporary:', LOG_LEVEL: 'silent' }));
  try {
    const database = await parts.get(t.database);
    const sum = async (table: string, column: string) => {
      const [row] = await database.read((knex) => knex(table).sum({ sum: column }));
      return Number(row?.sum ?? 0);
    };
    return (await sum('activations', 'verification_count')) + (await sum('licenses', 'retired_verification_count'));
  } finally {
    await parts.close();
  }
}
