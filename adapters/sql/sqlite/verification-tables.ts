import type { Facts, VerificationTables } from '../verifier.ts';

export const readFacts = `
  SELECT l.id, l.standing, l.expires_at, a.ordinal, a.license_version
  FROM json_each(?) AS r
  LEFT JOIN licenses AS l ON l.key = r.value ->> 0
  LEFT JOIN activations AS a ON a.license_id = l.id AND a.domain = r.value ->> 1
  ORDER BY r.key`;

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

/** Implements the verification tables with functions that run the two statements. */
export function tablesOn({
  facts,
  counts,
}: {
  facts(rows: Rows): Promise<Facts[]>;
  counts(rows: Rows): Promise<Added[]>;
}): Omit<VerificationTables, 'close'> {
  return {
    read: (requests) => facts(requests.map(({ key, domain }) => [key, domain])),
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
