import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { Standing, Validity, Verdict } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import { createBatcher } from './batch.ts';
import { type Database, prepare } from './database.ts';
import { translate } from './errors.ts';

interface Request {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly decide: (license: Validity | undefined, isActivated: boolean) => Verdict;
}

interface Facts {
  readonly id: number | null;
  readonly standing: string | null;
  readonly expires_at: number | null;
  readonly is_activated: number;
}

const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.domain IS NOT NULL AS is_activated
  FROM json_each(?) AS r
  LEFT JOIN licenses AS l ON l.key = r.value ->> 0
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.value ->> 1
  ORDER BY r.key`;

const addCounts = `
  UPDATE activations SET
    verification_count = verification_count + (r.value ->> 2),
    last_verified_at = max(coalesce(last_verified_at, 0), r.value ->> 3)
  FROM json_each(?) AS r
  WHERE license_id = r.value ->> 0 AND domain = r.value ->> 1`;

/** Group commit: all verifications that wait are read, decided, counted and made durable in one transaction. */
export interface Verifier {
  readonly verify: LicenseStore['verify'];
  /** Answers what waits, then closes its connection. */
  close(): Promise<void>;
}

export async function openSqliteVerifier({ file, turns }: Database): Promise<Verifier> {
  const connection = await connect(file);
  const exec = promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>;
  await prepare(connection);
  const facts = connection.prepare(readFacts);
  const counts = connection.prepare(addCounts);
  const readAll = promisify(facts.all.bind(facts)) as (json: string) => Promise<Facts[]>;
  const writeAll = promisify(counts.run.bind(counts)) as (json: string) => Promise<void>;

  async function commit(requests: readonly Request[]): Promise<readonly Verdict[]> {
    await exec('BEGIN IMMEDIATE');
    try {
      const rows = await readAll(JSON.stringify(requests.map(({ key, domain }) => [key, domain])));
      const verdicts = requests.map(({ decide }, index) => {
        const row = rows[index];
        return decide(row && toValidity(row), row?.is_activated === 1);
      });
      const successes = addUp(requests, rows, verdicts);
      if (successes.length > 0) await writeAll(JSON.stringify(successes));
      await exec('COMMIT');
      return verdicts;
    } catch (error) {
      await exec('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  const batcher = createBatcher((requests: readonly Request[]) => turns(() => translate(() => commit(requests))), {
    waiting: 20_000,
    batch: 1_000,
  });
  return {
    verify: (key, domain, decide) => batcher.submit({ key, domain, decide }),
    async close() {
      await batcher.drain();
      await promisify(facts.finalize.bind(facts))();
      await promisify(counts.finalize.bind(counts))();
      await promisify(connection.close.bind(connection))();
    },
  };
}

function connect(file: string): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const connection: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(connection),
    );
  });
}

function toValidity({ standing, expires_at }: Facts): Validity | undefined {
  return standing === null ? undefined : { standing: standing as Standing, expiresAt: expires_at };
}

/** One row `[license id, domain, count, time]` for each domain that was verified. */
function addUp(
  requests: readonly Request[],
  rows: readonly Facts[],
  verdicts: readonly Verdict[],
): [id: number, domain: string, count: number, at: number][] {
  const sums = new Map<string, [number, string, number, number]>();
  verdicts.forEach((verdict, index) => {
    const id = rows[index]?.id;
    const domain = requests[index]?.domain;
    if (verdict.kind !== 'valid' || id == null || domain === undefined) return;
    const sum = sums.get(`${id} ${domain}`);
    sums.set(`${id} ${domain}`, [id, domain, (sum?.[2] ?? 0) + 1, Math.max(sum?.[3] ?? 0, verdict.at)]);
  });
  return [...sums.values()];
}
