import { twinOf } from '../../../core/licensing/hosts.ts';
import { answeredStanding, type Facts, type VerificationTables } from '../verifier.ts';

/**
 * Returns the facts of all requests as one JSON text, in the order of the requests. Creating a row with its cells on the
 * main thread would cost more. The product and the twin are looked up only if the domain is not activated or ends:
 * otherwise their keys are NULL, and SQLite does not search for NULL.
 */
export const readFacts = `
  SELECT json_group_array(CASE WHEN a.ends_at IS NULL AND t.ordinal IS NULL
    THEN json_object(
      'id', l.id, 'standing', ${answeredStanding}, 'expires_at', l.expires_at,
      'updates_until', l.updates_until, 'entitlements', l.entitlements,
      'ordinal', a.ordinal, 'license_version', a.license_version
    )
    WHEN t.ordinal IS NULL OR (a.ordinal IS NOT NULL AND t.ends_at <= a.ends_at)
    THEN json_object(
      'id', l.id, 'standing', ${answeredStanding}, 'expires_at', l.expires_at,
      'updates_until', l.updates_until, 'entitlements', l.entitlements,
      'ordinal', a.ordinal, 'license_version', a.license_version, 'ends_at', a.ends_at
    )
    ELSE json_object(
      'id', l.id, 'standing', ${answeredStanding}, 'expires_at', l.expires_at,
      'updates_until', l.updates_until, 'entitlements', l.entitlements,
      'ordinal', t.ordinal, 'license_version', t.license_version, 'ends_at', t.ends_at, 'twin', t.domain
    ) END ORDER BY r.key) AS facts
  FROM json_each(?) AS r
  LEFT JOIN licenses AS l ON l.key = r.value ->> 0
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.value ->> 1
  LEFT JOIN products AS p ON p.id = CASE WHEN a.ordinal IS NULL OR a.ends_at IS NOT NULL THEN l.product_id END
  LEFT JOIN activations AS t ON t.license_id = CASE WHEN p.www_is_apex = 1 THEN l.id END
    AND t.domain = r.value ->> 2`;

export const addCounts = `
  UPDATE activations SET
    verification_count = verification_count + (r.value ->> 4),
    last_verified_at = max(coalesce(last_verified_at, 0), r.value ->> 5)
  FROM json_each(?) AS r
  WHERE license_id = r.value ->> 0 AND activations.domain = r.value ->> 1
    AND ordinal = r.value ->> 2 AND license_version = r.value ->> 3
  RETURNING license_id, domain`;

/** The input of one of the two statements, which is passed as JSON. */
export type Rows = readonly (readonly unknown[])[];

/** A row that `addCounts` changed. */
export interface Added {
  readonly license_id: number;
  readonly domain: string;
}

/** The only row that `readFacts` returns. */
export interface Read {
  readonly facts: string;
}

/** Implements the verification tables with functions that run the two statements. */
export function tablesOn({
  facts,
  counts,
}: {
  facts(rows: Rows): Promise<Read[]>;
  counts(rows: Rows): Promise<Added[]>;
}): Omit<VerificationTables, 'close'> {
  return {
    async read(requests) {
      const [read] = await facts(requests.map(({ key, domain }) => [key, domain, twinOf(domain)]));
      return JSON.parse(read?.facts ?? '[]') as Facts[];
    },
    async add(rows) {
      const added = await counts(
        rows.map(({ id, domain, ordinal, version, count, at }) => [id, domain, ordinal, version, count, at]),
      );
      if (added.length === rows.length) return [];
      const names = new Set(added.map(({ license_id, domain }) => `${license_id} ${domain}`));
      return rows.filter(({ id, domain }) => !names.has(`${id} ${domain}`));
    },
    check: async () => void (await facts([])),
  };
}
