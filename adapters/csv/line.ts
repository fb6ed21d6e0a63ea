import { z } from 'zod';
import { licenseStatuses, standings } from '../../core/licensing/license.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { SheetLicense, SheetLine } from '../../core/ports/license-sheet.ts';
import { describeCell } from '../../core/selling/cell.ts';
import { type Column, columnNames, whenEmpty } from './columns.ts';
import {
  alias,
  aliasKind,
  days,
  domains,
  email,
  entitlements,
  expiry,
  key,
  maxDomains,
  metadata,
  name,
  product,
  reference,
} from './fields.ts';

/** Returns a function that reads the cells of one line. A missing or empty cell has the default of its column. */
export function lineReader(now: Instant) {
  const schema = lineSchema(now);
  return (
    line: number,
    given: (column: Column) => string | undefined,
  ): { readonly line: SheetLine; readonly problems: readonly string[] } => {
    const cellOf = (column: Column) => given(column) || (whenEmpty[column] ?? '');
    const cells = Object.fromEntries(columnNames.map((column) => [column, cellOf(column)])) as Readonly<
      Record<Column, string>
    >;
    const { data, error } = schema.safeParse(cells);
    const named = product.safeParse(cells.product).data;
    const problems = (error?.issues ?? []).map(({ path, message }) => {
      const column = columnNames.find((one) => one === path[0]) ?? 'key';
      return `${describeCell(column, cells[column])}: ${message}`;
    });
    const own = parseLicenseKey(cells.key);
    return { line: { line, key: own, product: named, alias: data?.alias, license: data?.license }, problems };
  };
}

function lineSchema(now: Instant) {
  return z
    .object({
      key,
      alias,
      alias_kind: aliasKind,
      product,
      max_domains: maxDomains,
      expires_at: expiry(now),
      days_from_activation: days,
      updates_until: expiry(now),
      entitlements,
      status: z.enum(licenseStatuses, { error: `It must be ${standings.join(', ')} or expired.` }),
      holder_email: email,
      holder_name: name,
      reference,
      metadata,
      domains: domains(now),
    })
    .refine(({ status, expires_at }) => status !== 'expired' || (expires_at !== null && expires_at <= now), {
      path: ['status'],
      error: 'It needs an expires_at in the past.',
    })
    .refine(({ days_from_activation: days, expires_at }) => days === null || expires_at === null, {
      path: ['days_from_activation'],
      error: 'It needs never as expires_at.',
    })
    .refine(({ key, alias }) => key.foreign === undefined || alias === undefined, {
      path: ['alias'],
      error: 'The key is one of another system, so it becomes the alias. Leave one of the two empty.',
    })
    .transform((cells) => {
      const { holder_email, holder_name, alias = cells.key.foreign, alias_kind: kind } = cells;
      const license: SheetLicense = {
        maxDomains: cells.max_domains,
        expiresAt: cells.expires_at,
        daysFromActivation: cells.days_from_activation,
        updatesUntil: cells.updates_until,
        entitlements: cells.entitlements,
        standing: cells.status === 'expired' ? 'active' : cells.status,
        notes: {
          holder: holder_email === null && holder_name === null ? null : { email: holder_email, name: holder_name },
          reference: cells.reference,
          metadata: cells.metadata,
        },
        domains: cells.domains,
      };
      return { license, alias: alias && { text: alias, kind } };
    });
}
