/** A table that exports and imports copy. */
export interface ArchivedTable {
  readonly name: string;
  /** The columns of its primary key, in order. The database assigns the values of `id`. */
  readonly key: Readonly<Record<string, 'number' | 'text'>>;
  /** The columns with keys of stored files. */
  readonly files?: readonly string[];
  /** Triggers add some of its rows when other tables are filled. */
  readonly isPartlyDerived?: true;
}

/** All tables that exports and imports copy. A table comes after the tables that it refers to. */
export const archivedTables: readonly ArchivedTable[] = [
  { name: 'users', key: { id: 'number' } },
  { name: 'user_texts', key: { user_id: 'number', text: 'text' } },
  // They contain hashes of passwords, and the secrets of apps as they are: keep an export as secret as the database.
  // Sessions, one-time links and device logins do not move: on the new server, people sign in again.
  { name: 'credentials', key: { user_id: 'number' } },
  { name: 'api_keys', key: { id: 'number' } },
  { name: 'account_usage', key: { user_id: 'number', day: 'text' } },
  { name: 'templates', key: { id: 'number' }, files: ['zip'] },
  { name: 'products', key: { id: 'number' }, files: ['zip', 'thumbnail'] },
  { name: 'product_versions', key: { product_id: 'number', ordinal: 'number' }, files: ['zip'] },
  { name: 'product_texts', key: { product_id: 'number', text: 'text' } },
  { name: 'release_codes', key: { id: 'number' } },
  { name: 'licenses', key: { id: 'number' } },
  { name: 'license_aliases', key: { id: 'number' } },
  { name: 'activations', key: { license_id: 'number', domain: 'text' } },
  { name: 'license_instances', key: { license_id: 'number', id: 'text' } },
  { name: 'license_periods', key: { id: 'number' } },
  { name: 'license_texts', key: { license_id: 'number', kind: 'text', text: 'text' }, isPartlyDerived: true },
  { name: 'license_strays', key: { license_id: 'number', domain: 'text' } },
  { name: 'license_stray_days', key: { license_id: 'number', day: 'number' } },
  { name: 'license_leaks', key: { license_id: 'number' } },
  { name: 'product_usage', key: { product_id: 'number', at: 'number' } },
  { name: 'license_usage', key: { license_id: 'number', at: 'number' } },
  { name: 'usage_counted', key: { license_id: 'number' } },
  { name: 'purchases', key: { user_id: 'number', template_id: 'number' } },
  { name: 'orders', key: { id: 'number' } },
  { name: 'order_texts', key: { order_id: 'number', text: 'text' } },
  { name: 'coupons', key: { id: 'number' } },
  { name: 'coupon_uses', key: { order_id: 'number' } },
  { name: 'order_numbers', key: { seller_id: 'number', is_live: 'number' } },
  { name: 'invoice_profiles', key: { seller_id: 'number' } },
  { name: 'wallets', key: { seller_id: 'number' } },
  { name: 'usdc_quotes', key: { id: 'number' } },
  { name: 'usdc_transfers', key: { chain_id: 'number', tx_hash: 'text', log_index: 'number' } },
  { name: 'usdc_sent_back', key: { chain_id: 'number', tx_hash: 'text', log_index: 'number' } },
  { name: 'usdc_claims', key: { id: 'number' } },
  { name: 'usdc_watches', key: { chain_id: 'number' } },
  { name: 'seller_pages', key: { user_id: 'number' } },
  { name: 'ratings', key: { id: 'number' } },
  { name: 'product_stars', key: { product_id: 'number' } },
  { name: 'uploads', key: { id: 'number' }, files: ['key'] },
  { name: 'kept_files', key: { key: 'text' } },
  { name: 'deployments', key: { id: 'number' } },
  { name: 'deployment_days', key: { template_id: 'number', is_live: 'number', day: 'number', chain_id: 'number' } },
  {
    name: 'deployment_sums',
    key: { template_id: 'number', is_live: 'number', user_id: 'number', product_id: 'number', version: 'text' },
  },
  { name: 'idempotency', key: { key: 'text' } },
  { name: 'idempotency_changes', key: { owner: 'text' } },
  { name: 'audit_log', key: { id: 'number' } },
  // An unfinished import of licenses: the new server finishes or undoes it.
  { name: 'license_imports', key: { id: 'number' } },
  { name: 'license_import_lines', key: { line: 'number' } },
  { name: 'license_import_hosts', key: { line: 'number', ordinal: 'number' } },
  // Queued mails are sent by the new server. Links in mails work only where their own rows are.
  { name: 'mails', key: { id: 'number' } },
  { name: 'work', key: { id: 'number' } },
  { name: 'notifications', key: { id: 'number' } },
  // Deliveries that wait are sent by the new server. It reads the counters of verifications anew.
  { name: 'webhook_endpoints', key: { id: 'number' } },
  { name: 'webhook_events', key: { id: 'number' } },
  { name: 'webhook_fan_outs', key: { id: 'number' } },
  { name: 'webhook_deliveries', key: { id: 'number' } },
  { name: 'webhook_attempts', key: { delivery_id: 'number', number: 'number' } },
  { name: 'webhook_hours', key: { endpoint_id: 'number', hour: 'number' } },
  { name: 'webhook_expiries', key: { is_live: 'number' } },
  { name: 'expiry_reminders', key: { days: 'number', is_live: 'number' } },
  { name: 'site_settings', key: { name: 'text' } },
  // Sites have the public keys built in. The private one is sealed with the signing secret, which moves too.
  { name: 'lease_keys', key: { ordinal: 'number' } },
  // They sign nobody in. Without them, the new server would report each next sign-in as one in a new browser.
  { name: 'known_browsers', key: { user_id: 'number', digest: 'text' } },
];

/** All columns with keys of stored files. */
export const fileColumns = archivedTables.flatMap(({ name: table, files = [] }) =>
  files.map((column) => ({ table, column })),
);

/** A row with the column names of the database. */
export type ArchivedRow = Readonly<Record<string, unknown>>;
