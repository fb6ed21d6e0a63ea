/**
 * The same service with the usual way to verify: a select and an update through knex for each request. `per-request.ts
 * plain` loses counts if the license changes in between. `per-request.ts exact` does both in one transaction that
 * locks the row. The settings are those of the server.
 */
import knex, { type Knex } from 'knex';
import { type RightsRow, toRights } from '../../adapters/sql/license-rights.ts';
import { startJobs } from '../../apps/server/jobs.ts';
import { openService } from '../../apps/server/open-service.ts';
import { stopSignal } from '../../apps/server/stop-signal.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { type Config, readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Rights, Standing, Validity } from '../../core/licensing/license.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';

const isExact = process.argv[2] === 'exact';
const config = readConfig(process.env);
const database = openKnex(config.DATABASE_URL);

const service = await openService(config, async (config) => {
  const parts = await compose(config);
  Object.assign(await parts.get(t.verifier), { verify });
  return parts;
});
const endJobs = await startJobs(service.parts);
await stopSignal();
await service.close(1_000, endJobs());
await database.destroy();

async function verify(...[key, domain, decide]: Parameters<LicenseStore['verify']>) {
  const work = async (connection: Knex) => {
    const row = await connection('licenses as l')
      .join('activations as a', 'a.license_id', 'l.id')
      .where({ 'l.key': key, 'a.domain': domain })
      .modify((query) => {
        if (isExact) query.forUpdate('a');
      })
      .first('l.id', 'l.standing', 'l.expires_at', 'l.updates_until', 'l.entitlements');
    if (row === undefined) {
      return decide(
        validityOf(
          await connection('licenses').where({ key }).first('standing', 'expires_at', 'updates_until', 'entitlements'),
        ),
        undefined,
      );
    }
    const verdict = decide(validityOf(row), { endsAt: null });
    if (verdict.kind === 'valid') {
      await connection('activations')
        .where({ license_id: row.id, domain })
        .update({ verification_count: connection.raw('verification_count + 1'), last_verified_at: verdict.at });
    }
    return verdict;
  };
  return isExact ? await database.transaction(work) : await work(database);
}

interface ValidityRow extends RightsRow {
  readonly standing: Standing;
  readonly expires_at: number | string | null;
}

function validityOf(row?: ValidityRow): (Validity & Rights) | undefined {
  const expiresAt = row?.expires_at == null ? null : Number(row.expires_at);
  return row && { standing: row.standing, expiresAt, ...toRights(row) };
}

function openKnex(location: Config['DATABASE_URL']): Knex {
  switch (location.kind) {
    case 'postgres':
      return knex({ client: 'pg', connection: location.url, pool: { min: 0, max: 10 } });
    case 'sqlite':
      return knex({
        client: 'sqlite3',
        connection: { filename: location.path },
        useNullAsDefault: true,
        pool: { min: 1, max: 1, afterCreate: durable },
      });
    case 'memory':
      throw new Error('This server needs a database.');
  }
}

function durable(
  raw: { exec(sql: string, done: (error: Error | null) => void): void },
  done: (error: Error | null) => void,
) {
  raw.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000', done);
}
