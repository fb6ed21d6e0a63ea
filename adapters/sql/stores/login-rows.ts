import type { Knex } from 'knex';
import type { Login, NewLogin } from '../../../core/accounts/login.ts';
import { toUserId } from '../../../core/id.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { insertUser } from './user-rows.ts';

/** A user, joined with their credentials. */
export interface LoginRow {
  readonly user_id: number;
  readonly user_name: string;
  readonly email: string;
  readonly user_role: string | null;
  readonly selling: string | null;
  readonly suspended_at: number | null;
  readonly sandbox_until: number | null;
  readonly password_hash: string | null;
  readonly email_verified_at: number | null;
  readonly totp_secret: string | null;
  readonly totp_last_step: number | null;
  readonly recovery_digests: string | null;
  /** `null` if the user has no credentials. */
  readonly user_generation: number | null;
}

/** Selects users as `u` with their credentials as `c`. */
export function selectLogins(knex: Knex): Knex.QueryBuilder {
  return knex('users as u').leftJoin('credentials as c', 'c.user_id', 'u.id').select(loginColumns);
}

export const loginColumns = [
  'u.id as user_id',
  'u.name as user_name',
  'u.email',
  'u.role as user_role',
  'u.selling',
  'u.suspended_at',
  'u.sandbox_until',
  'c.password_hash',
  'c.email_verified_at',
  'c.totp_secret',
  'c.totp_last_step',
  'c.recovery_digests',
  'c.generation as user_generation',
];

export function toLogin(row: LoginRow): Login {
  return {
    id: toUserId(row.user_id),
    name: row.user_name,
    email: row.email,
    role: row.user_role as Login['role'],
    selling: row.selling as Login['selling'],
    suspendedAt: row.suspended_at,
    ...(row.sandbox_until !== null && { sandboxUntil: row.sandbox_until }),
    passwordHash: row.password_hash,
    emailVerifiedAt: row.email_verified_at,
    secondFactor:
      row.totp_secret === null
        ? null
        : {
            secret: row.totp_secret,
            lastStep: row.totp_last_step ?? 0,
            recoveryDigests: JSON.parse(row.recovery_digests ?? '[]'),
          },
    generation: row.user_generation ?? 0,
  };
}

/**
 * Loads a login. Nobody else can change it until the transaction ends. Locks in a statement of its own: in Postgres, a
 * statement that waited for the lock of a user still sees the credentials of before.
 */
export async function lockLogin(trx: Knex.Transaction, userId: number): Promise<Login | undefined> {
  await trx('users').where({ id: userId }).forUpdate().first('id');
  const row: LoginRow | undefined = await selectLogins(trx).where('u.id', userId).first();
  return row && toLogin(row);
}

/** Adds a user with credentials, or adds nothing if another user has the e-mail address. */
export async function insertLogin(
  trx: Knex.Transaction,
  { tier, createdAt, selling = null, sandboxUntil, ...login }: NewLogin,
): Promise<Login | Refused<'email_taken'>> {
  const { passwordHash: _, emailVerifiedAt: __, ...user } = login;
  const added = await insertUser(trx, { ...user, tier, createdAt, selling, suspendedAt: null });
  if (isRefused(added)) return added;
  const { id } = added;
  const mark = sandboxUntil !== undefined && { sandboxUntil };
  if (mark) await trx('users').where({ id }).update({ sandbox_until: sandboxUntil });
  const fresh = { ...login, id, selling, suspendedAt: null, secondFactor: null, generation: 0, ...mark };
  await saveCredentials(trx, fresh);
  return fresh;
}

/** Writes the credentials of a user, who may have none. */
export async function saveCredentials(trx: Knex.Transaction, login: Login): Promise<void> {
  const { secondFactor } = login;
  const row = {
    password_hash: login.passwordHash,
    email_verified_at: login.emailVerifiedAt,
    totp_secret: secondFactor?.secret ?? null,
    totp_last_step: secondFactor?.lastStep ?? null,
    recovery_digests: secondFactor && JSON.stringify(secondFactor.recoveryDigests),
    generation: login.generation,
  };
  await trx('credentials')
    .insert({ user_id: login.id, ...row })
    .onConflict('user_id')
    .merge(row);
}

/** Ends the sessions and links of a user permanently. A user without credentials has no sessions. */
export async function raiseGeneration(trx: Knex.Transaction, userId: number): Promise<void> {
  await trx('credentials').where({ user_id: userId }).increment('generation', 1);
}
