import type { Event } from '../../../core/events/event.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { hostEvents } from '../../../core/licensing/license-events.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { ActivatedSince, HostHistory } from '../../../core/ports/host-history.ts';
import type { Database } from '../database.ts';
import { sharedRead } from '../shared-reads.ts';

/** Reads the newest events of one license, which an index has in this order. Those who ask for the same at once share a read. */
export function createSqlHostHistory({ read }: Pick<Database, 'read'>): HostHistory {
  const shared = sharedRead<ActivatedSince>(async (all) => {
    const found = new Map<string, ActivatedSince>();
    for (const one of all) {
      const [key, since, most]: [LicenseKey, Instant, number] = JSON.parse(one);
      found.set(one, await readSince(key, since, most));
    }
    return found;
  });

  async function readSince(key: LicenseKey, since: Instant, most: number): Promise<ActivatedSince> {
    const rows: { type: Event['type']; at: number; data: string }[] = await read(
      async (knex) =>
        await knex('audit_log')
          .whereIn('subject', [
            key,
            // The events before a key was replaced have that key.
            ...(await knex('license_aliases as x')
              .join('licenses as l', 'l.id', 'x.license_id')
              .where('l.key', key)
              .whereNotNull('x.key')
              .pluck('x.key')),
          ])
          .orderBy('id', 'desc')
          .limit(most)
          .select('type', 'at', 'data'),
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
  }

  return {
    activatedSince: async (key, since, most) =>
      (await shared(JSON.stringify([key, since, most]))) ?? { hosts: [], isWhole: true },

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
