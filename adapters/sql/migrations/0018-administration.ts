import type { Knex } from 'knex';
import type { Role } from '../../../core/accounts/role.ts';
import type { Tier } from '../../../core/accounts/tier.ts';
import { toUserId } from '../../../core/id.ts';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';
import { insertUserTexts } from '../user-texts.ts';

const usersAtOnce = 1_000;

/**
 * The texts by which users are found, and indexes for lists of users and of the audit trail. Each list reads one range of
 * an index. The column `search_name` stays for older processes, but nothing reads it.
 *
 * Filling the texts takes about a second for 10,000 users. Meanwhile nobody can write users, because their texts would be
 * missing: the new foreign key locks the table. Everybody can read them, because each call of an account does.
 */
export const administration: Migration = {
  name: '0018-administration',
  async up(trx) {
    await trx.raw(`CREATE TABLE user_texts (
      user_id integer NOT NULL REFERENCES users (id),
      text text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL,
      tier text NOT NULL,
      role text,
      is_suspended smallint NOT NULL,
      PRIMARY KEY (user_id, text)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    await fillTexts(trx);
    const suspended = 'suspended_at IS NOT NULL';
    for (const index of [
      'user_texts_by_text ON user_texts (text, user_id)',
      'user_texts_of_tier ON user_texts (tier, text, user_id)',
      'user_texts_of_role ON user_texts (role, text, user_id) WHERE role IS NOT NULL',
      'user_texts_of_suspended ON user_texts (text, user_id) WHERE is_suspended = 1',
      'user_texts_of_suspended_tier ON user_texts (tier, text, user_id) WHERE is_suspended = 1',
      `users_suspended ON users (id) WHERE ${suspended}`,
      `users_suspended_tier ON users (tier, id) WHERE ${suspended}`,
      'audit_log_by_subject ON audit_log (subject, id)',
      'audit_log_by_actor ON audit_log (actor, at, id)',
      'audit_log_by_type ON audit_log (type, at, id)',
      'audit_log_by_time ON audit_log (at, id)',
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
  },
};

interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly tier: string;
  readonly role: string | null;
  readonly suspended_at: number | null;
}

async function fillTexts(trx: Knex.Transaction): Promise<void> {
  for (let last = 0; ; ) {
    const rows: UserRow[] = await trx('users').where('id', '>', last).orderBy('id').limit(usersAtOnce);
    const end = rows.at(-1);
    if (end === undefined) return;
    await insertUserTexts(
      trx,
      rows.map(({ id, name, email, tier, role, suspended_at }) => ({
        id: toUserId(id),
        name,
        email,
        tier: tier as Tier,
        role: role as Role | null,
        suspendedAt: suspended_at,
      })),
    );
    last = end.id;
  }
}
