import type { Knex } from 'knex';
import type { UserId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Arrival } from '../../../core/ports/session-store.ts';

interface BrowserRow {
  readonly user_id: number;
  /** SHA-256 of the browser's token. */
  readonly digest: string;
  readonly last_seen_at: number;
}

/** Remembers that a user signs in with a browser. Returns whether it is new to the user. Forgets old browsers. */
export async function meetBrowser(
  trx: Knex.Transaction,
  userId: UserId,
  { browser: digest, forgetBefore }: Arrival,
  now: Instant,
): Promise<boolean> {
  await trx<BrowserRow>('known_browsers').where('last_seen_at', '<', forgetBefore).delete();
  const added = await trx<BrowserRow>('known_browsers')
    .insert({ user_id: userId, digest, last_seen_at: now })
    .onConflict(['user_id', 'digest'])
    .ignore()
    .returning('digest');
  if (added.length > 0) return true;
  await trx<BrowserRow>('known_browsers')
    .where({ user_id: userId, digest })
    .where('last_seen_at', '<', now)
    .update({ last_seen_at: now });
  return false;
}
