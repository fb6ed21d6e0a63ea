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
  { name: 'settings', key: { name: 'text' } },
  { name: 'users', key: { id: 'number' } },
  { name: 'api_keys', key: { id: 'number' } },
  { name: 'products', key: { id: 'number' }, files: ['zip', 'thumbnail'] },
  { name: 'licenses', key: { id: 'number' } },
  { name: 'activations', key: { license_id: 'number', domain: 'text' } },
  { name: 'templates', key: { id: 'number' }, files: ['zip'] },
  { name: 'purchases', key: { user_id: 'number', template_id: 'number' } },
  { name: 'uploads', key: { id: 'number' }, files: ['key'] },
  { name: 'deployments', key: { id: 'number' } },
  { name: 'idempotency', key: { key: 'text' } },
  { name: 'audit_log', key: { id: 'number' } },
];

/** Tables that do not move: the schema is made anew, and the counters of rate limits are over within a day. */
export const leftTables = ['schema_migrations', 'counters'];

/** A row as the database holds it. */
export type ArchivedRow = Readonly<Record<string, unknown>>;
