/** A table that moves with the service. */
export interface ArchivedTable {
  readonly name: string;
  /** The columns of its primary key, in their order. `id` alone is one that the database numbers. */
  readonly key: Readonly<Record<string, 'number' | 'text'>>;
  /** The columns that name stored files. */
  readonly files?: readonly string[];
}

/** Every table that moves, after those that it refers to. */
export const archivedTables: readonly ArchivedTable[] = [
  { name: 'users', key: { id: 'number' } },
  { name: 'api_keys', key: { id: 'number' } },
  { name: 'products', key: { id: 'number' }, files: ['zip', 'thumbnail'] },
  { name: 'licenses', key: { id: 'number' } },
  { name: 'activations', key: { license_id: 'number', domain: 'text' } },
  { name: 'templates', key: { id: 'number' }, files: ['zip'] },
  { name: 'purchases', key: { user_id: 'number', template_id: 'number' } },
  { name: 'uploads', key: { id: 'number' }, files: ['key'] },
  { name: 'kept_files', key: { key: 'text' } },
  { name: 'deployments', key: { id: 'number' } },
  { name: 'idempotency', key: { key: 'text' } },
  { name: 'audit_log', key: { id: 'number' } },
  // An import that is not over: it is finished or undone in the new place.
  { name: 'license_imports', key: { id: 'number' } },
  { name: 'license_import_lines', key: { line: 'number' } },
];

/** Every column that names stored files. */
export const fileColumns = archivedTables.flatMap(({ name: table, files = [] }) =>
  files.map((column) => ({ table, column })),
);

/**
 * Tables that do not move: the schema is made anew, the counters of rate limits are over within a day, the settings tell of
 * the secret of the place that they are in, and files that nothing refers to stay behind.
 */
export const leftTables = ['schema_migrations', 'counters', 'settings', 'unreferenced_files'];

/** A row as the database holds it. */
export type ArchivedRow = Readonly<Record<string, unknown>>;
