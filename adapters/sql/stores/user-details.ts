import type { UserDetailsReader } from '../../../core/ports/user-details.ts';
import type { Database } from '../database.ts';

interface CredentialsRow {
  readonly email_verified_at: number | null;
  readonly password_hash: string | null;
  readonly totp_secret: string | null;
}

interface UseRow {
  readonly keys: number;
  readonly key_used_at: number | null;
  readonly last_seen_at: number | null;
}

export function createSqlUserDetails({ read }: Pick<Database, 'read'>): UserDetailsReader {
  return {
    async of(id) {
      const [credentials, use] = await Promise.all([
        read((knex) => {
          const row: PromiseLike<CredentialsRow | undefined> = knex('credentials').where({ user_id: id }).first();
          return row;
        }),
        read((knex) => {
          const keys = () => knex('api_keys').where({ user_id: id });
          const row: PromiseLike<UseRow> = knex.first({
            keys: keys().whereNull('revoked_at').count(),
            key_used_at: keys().max('last_used_at'),
            last_seen_at: knex('sessions').where({ user_id: id }).max('last_seen_at'),
          });
          return row;
        }),
      ]);
      return {
        keys: Number(use.keys),
        keyUsedAt: use.key_used_at,
        lastSeenAt: use.last_seen_at,
        emailVerifiedAt: credentials?.email_verified_at ?? null,
        hasPassword: (credentials?.password_hash ?? null) !== null,
        hasSecondFactor: (credentials?.totp_secret ?? null) !== null,
      };
    },
  };
}
