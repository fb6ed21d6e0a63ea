import { domainTriggers } from './domain-triggers.ts';

/** The names of the copy, of the replaced table, and of the trigger. */
export const partitionNames = {
  copy: 'activations_partitioned',
  old: 'activations_unpartitioned',
  mirror: 'mirror_activation',
} as const;

/** Returns the name of a partition. */
export function partOf(index: number): string {
  return `activations_p${index}`;
}

/**
 * Creates an empty copy, and a trigger that applies every later change of the table to the copy, in the same
 * transaction. The copy has no foreign key yet, because filling it would lock licenses.
 */
export function makeCopy(columns: readonly string[], count: number): string {
  const parts = Array.from(
    { length: count },
    (_, index) => `
      CREATE TABLE ${partOf(index)} PARTITION OF ${partitionNames.copy}
        FOR VALUES WITH (MODULUS ${count}, REMAINDER ${index}) WITH (fillfactor = 70);`,
  );
  const quoted = columns.map((column) => `"${column}"`);
  const others = quoted.filter((column) => !['"license_id"', '"domain"'].includes(column));
  return `
    CREATE TABLE ${partitionNames.copy} (LIKE activations INCLUDING ALL) PARTITION BY HASH (license_id);
    ${parts.join('')}
    CREATE FUNCTION ${partitionNames.mirror}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM ${partitionNames.copy} WHERE license_id = OLD.license_id AND domain = OLD.domain;
      ELSE
        IF TG_OP = 'UPDATE' AND (OLD.license_id, OLD.domain) IS DISTINCT FROM (NEW.license_id, NEW.domain) THEN
          DELETE FROM ${partitionNames.copy} WHERE license_id = OLD.license_id AND domain = OLD.domain;
        END IF;
        INSERT INTO ${partitionNames.copy} (${quoted.join(', ')}) VALUES (${quoted.map((column) => `NEW.${column}`).join(', ')})
          ON CONFLICT (license_id, domain) DO UPDATE
            SET ${others.map((column) => `${column} = EXCLUDED.${column}`).join(', ')};
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${partitionNames.mirror} AFTER INSERT OR UPDATE OR DELETE ON activations
      FOR EACH ROW EXECUTE FUNCTION ${partitionNames.mirror}();`;
}

/** Removes the copy, the trigger and its function. */
export const dropCopy = `
  DROP TRIGGER IF EXISTS ${partitionNames.mirror} ON activations;
  DROP FUNCTION IF EXISTS ${partitionNames.mirror}();
  DROP TABLE IF EXISTS ${partitionNames.copy};`;

/**
 * Selects the last row of the chunk that starts after the given row. Returns no row if fewer rows than a chunk are
 * left.
 */
export const endOfChunk = `
  SELECT license_id, domain FROM activations WHERE (license_id, domain) > (?, ?)
  ORDER BY license_id, domain OFFSET ? LIMIT 1`;

const inChunk = 'WHERE (license_id, domain) > (?, ?) AND (license_id, domain) <= (?, ?)';

/**
 * KEY SHARE does not block verifications. It blocks deactivations, because otherwise a row that is deleted meanwhile
 * would come back. If the copy already has a row, the trigger wrote that row. It is newer, so it is kept.
 */
export function copyChunk(columns: readonly string[]): string {
  const list = columns.map((column) => `"${column}"`).join(', ');
  return `
    INSERT INTO ${partitionNames.copy} (${list})
    SELECT ${list} FROM (SELECT * FROM activations ${inChunk} ORDER BY license_id, domain FOR KEY SHARE) AS chunk
    ON CONFLICT DO NOTHING`;
}

/** Counts the rows of a chunk that differ. One statement sees both tables at the same moment. */
export const countDifferences = `
  SELECT count(*) AS differences
  FROM (SELECT * FROM activations ${inChunk}) AS one
  FULL JOIN (SELECT * FROM ${partitionNames.copy} ${inChunk}) AS other USING (license_id, domain)
  WHERE one IS DISTINCT FROM other`;

/**
 * Adds a foreign key that applies to new rows at once. `checkReference` checks the other rows later, without blocking.
 */
export function addReference(part: string): string {
  return `ALTER TABLE ${part} ADD CONSTRAINT ${part}_license_id_fkey
    FOREIGN KEY (license_id) REFERENCES licenses (id) NOT VALID`;
}

export function checkReference(part: string): string {
  return `ALTER TABLE ${part} VALIDATE CONSTRAINT ${part}_license_id_fkey`;
}

/** Replaces the table with the copy. Reads no rows, because the foreign keys of the partitions are checked already. */
export const swap = `
  LOCK TABLE licenses IN SHARE ROW EXCLUSIVE MODE;
  LOCK TABLE activations, ${partitionNames.copy} IN ACCESS EXCLUSIVE MODE;
  DROP TRIGGER ${partitionNames.mirror} ON activations;
  DROP FUNCTION ${partitionNames.mirror}();
  ALTER TABLE activations RENAME TO ${partitionNames.old};
  ALTER INDEX activations_pkey RENAME TO ${partitionNames.old}_pkey;
  ALTER INDEX activations_ends_at RENAME TO ${partitionNames.old}_ends_at;
  ALTER TABLE ${partitionNames.old} RENAME CONSTRAINT activations_license_id_fkey TO ${partitionNames.old}_license_id_fkey;
  ALTER TABLE ${partitionNames.copy} RENAME TO activations;
  ALTER INDEX ${partitionNames.copy}_pkey RENAME TO activations_pkey;
  ALTER INDEX ${partitionNames.copy}_ends_at_idx RENAME TO activations_ends_at;
  ALTER TABLE activations ADD CONSTRAINT activations_license_id_fkey FOREIGN KEY (license_id) REFERENCES licenses (id);
  ${domainTriggers.join(';\n  ')};`;

export const dropOld = `DROP TABLE IF EXISTS ${partitionNames.old}`;
