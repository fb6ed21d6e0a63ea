import type { Event } from '../../../core/events/event.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { hostEvents } from '../../../core/licensing/license-events.ts';
import type { HostHistory } from '../../../core/ports/host-history.ts';
import type { Database } from '../database.ts';

/** Reads the newest events of one license, which an index has in this order. */
export function createSqlHostHistory({ read }: Pick<Database, 'read'>): HostHistory {
  return {
    async activatedSince(key, since, most) {
      const rows: { type: Event['type']; at: number; data: string }[] = await read((knex) =>
        knex('audit_log').where({ subject: key }).orderBy('id', 'desc').limit(most).select('type', 'at', 'data'),
      );
      const hosts = rows.toReversed().flatMap(({ type, at, data }) => {
        const fact = hostEvents[type];
        const host: unknown = fact !== undefined && at > since ? JSON.parse(data)[fact] : undefined;
        // It was written by the rules of domains.
        return typeof host === 'string' ? [host as DomainName] : [];
      });
      const oldest = rows.at(-1);
      return {
        hosts: [...new Set(hosts)],
        isWhole: rows.length < most || (oldest !== undefined && oldest.at <= since),
      };
    },

    async activatedAt(key, hosts) {
      const row: { activated_at: number } | undefined = await read((knex) =>
        knex('activations as a')
          .join('licenses as l', 'l.id', 'a.license_id')
          .where('l.key', key)
          .whereIn('a.domain', hosts)
          .orderBy('a.activated_at')
          .first('a.activated_at'),
      );
      return row && Number(row.activated_at);
    },
  };
}
