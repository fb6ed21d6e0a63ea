import type { ExportingSystem } from '../../core/licensing/alias.ts';
import type { LicenseStatus } from '../../core/licensing/license.ts';
import type { Column } from './columns.ts';

/** Returns the text of a column or field of theirs, or an empty text if the row has none. */
export type Row = (name: string) => string;

/** How the export of another system becomes licenses. Names are those of their columns or fields. */
export interface ExportTable {
  readonly key: string;
  /** The field that names the product in their system. */
  readonly product: string;
  /** The field that names the variant or plan of the product there. Empty: it has none. */
  readonly variant?: string;
  /** The fields whose values are copied. Of several names, the first one with a value is used. */
  readonly same: Partial<Record<Column, readonly string[]>>;
  /** On how many places a license works. Empty or 0 is no limit. */
  readonly limit?: string;
  readonly end: string;
  readonly status: string;
  readonly statuses: Readonly<Record<string, LicenseStatus>>;
  /** The sites on which it is active, and what stands between them. */
  readonly sites?: { readonly in: string; readonly between: RegExp };
  /** Whether it does not work there any more, whatever its status is. */
  isStopped?(row: Row): boolean;
  /** Whether it goes on working after its end, and only gets no new releases. */
  isForReleases?(row: Row): boolean;
  /** Returns why a line is no license of its own. */
  passes?(row: Row): string | undefined;
}

const isSet = (row: Row, name: string) => ['1', 'true'].includes(row(name).toLowerCase());

/** How to read the export of each system. The guide names the sources. */
export const exportTables: Readonly<Record<ExportingSystem, ExportTable>> = {
  lemonsqueezy: {
    ...{ key: 'key', product: 'product_id', limit: 'activation_limit', end: 'expires_at' },
    same: { holder_email: ['user_email'], holder_name: ['user_name'], reference: ['order_id'] },
    status: 'status',
    statuses: { inactive: 'active', active: 'active', expired: 'expired', disabled: 'suspended' },
  },
  edd: {
    ...{ key: 'License Key', product: 'Product Name', variant: 'Price ID' },
    ...{ limit: 'Activation Limit', end: 'Expiration Date' },
    same: {
      holder_email: ['Customer Email', 'Email'],
      holder_name: ['Customer Name'],
      reference: ['License ID'],
    },
    status: 'License Status',
    statuses: { inactive: 'active', active: 'active', expired: 'expired', disabled: 'suspended' },
    sites: { in: 'Activated URLs', between: /, | - / },
  },
  gumroad: {
    ...{ key: 'License Key', product: 'Product ID', variant: 'Variants', end: 'Subscription End Date' },
    same: { holder_email: ['Purchase Email'], holder_name: ['Buyer Name'], reference: ['Purchase ID'] },
    status: 'License Key Enabled?',
    statuses: { '1': 'active', '0': 'suspended' },
    isStopped: (row) =>
      isSet(row, 'Fully Refunded?') ||
      isSet(row, 'Access Revoked?') ||
      (isSet(row, 'Disputed?') && !isSet(row, 'Dispute Won?')),
    passes: (row) => (isSet(row, 'Recurring Charge?') ? 'It is a later payment of a subscription.' : undefined),
  },
  freemius: {
    ...{ key: 'secret_key', product: 'plugin_id', variant: 'plan_id', limit: 'quota', end: 'expiration' },
    same: { reference: ['id'] },
    status: 'is_cancelled',
    statuses: { false: 'active', true: 'suspended' },
    isForReleases: (row) => row('is_block_features') === 'false',
  },
  keygen: {
    ...{ key: 'key', product: 'product', variant: 'policy', limit: 'maxMachines', end: 'expiry' },
    same: { reference: ['name'] },
    status: 'status',
    statuses: {
      ...{ active: 'active', inactive: 'active', expiring: 'active', expired: 'expired' },
      ...{ suspended: 'suspended', banned: 'suspended' },
    },
  },
  woocommerce: {
    ...{ key: 'license_key', product: 'product_id' },
    ...{ limit: 'times_activated_max', end: 'expires_at' },
    same: { reference: ['order_id'] },
    status: 'status',
    statuses: { sold: 'active', delivered: 'active', active: 'active', inactive: 'suspended', disabled: 'suspended' },
  },
};
