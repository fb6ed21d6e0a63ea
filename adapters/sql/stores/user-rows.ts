import type { Knex } from 'knex';
import type { Role } from '../../../core/accounts/role.ts';
import type { SoldTier, Tier } from '../../../core/accounts/tier.ts';
import type { SellingRight, User } from '../../../core/accounts/user.ts';
import { toUserId, type UserId } from '../../../core/id.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { insertUserTexts, replaceUserTexts } from '../user-texts.ts';

export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly tier: string;
  readonly created_at: number;
  readonly role: string | null;
  readonly selling: string | null;
  readonly suspended_at: number | null;
  /** Not read where nobody needs it: then the user has no `plan`, and must not be stored. */
  readonly paid_tier?: string | null;
  readonly assigned_tier?: string | null;
  /** Only the store of the sandbox writes it. */
  readonly sandbox_until?: number | null;
}

export function toUser(row: UserRow): User {
  const { id, name, email, tier, created_at, role, selling, suspended_at, paid_tier, assigned_tier, sandbox_until } =
    row;
  return {
    id: toUserId(id),
    name,
    email,
    tier: tier as Tier,
    createdAt: created_at,
    role: role as Role | null,
    selling: selling as SellingRight | null,
    suspendedAt: suspended_at,
    ...(paid_tier && { plan: { paid: paid_tier as SoldTier, assigned: assigned_tier as Tier } }),
    ...(typeof sandbox_until === 'number' && { sandboxUntil: sandbox_until }),
  };
}

export function toUserRow(user: Omit<User, 'id'>): Omit<UserRow, 'id'> {
  const { name, email, tier, role, selling, createdAt, suspendedAt, plan } = user;
  const paid = { paid_tier: plan?.paid ?? null, assigned_tier: plan?.assigned ?? null };
  return { name, email, tier, role, selling, created_at: createdAt, suspended_at: suspendedAt, ...paid };
}

/** Adds a user, or adds nothing if another user has the e-mail address. */
export async function insertUser(
  trx: Knex.Transaction,
  user: Omit<User, 'id'>,
): Promise<User | Refused<'email_taken'>> {
  const [row] = await trx<UserRow>('users').insert(toUserRow(user)).onConflict('email').ignore().returning('*');
  if (row === undefined) return emailTaken(user.email);
  const added = toUser(row);
  await insertUserTexts(trx, [added]);
  return added;
}

/** Call it after a change of a user, so that lists find and filter the user as it is now. */
export async function keepFindable(trx: Knex.Transaction, id: number): Promise<void> {
  const row = await trx<UserRow>('users').where({ id }).first();
  if (row !== undefined) await replaceUserTexts(trx, toUser(row));
}

export function emailTaken(email: string): Refused<'email_taken'> {
  return refuse('email_taken', `A user with the e-mail address ${email} already exists.`);
}

/** Whether there is an administrator, suspended or not. */
export async function hasAdministrator(knex: Knex): Promise<boolean> {
  const admin: Role = 'admin';
  return (await knex<UserRow>('users').where({ role: admin }).first('id')) !== undefined;
}

/** The administrators who are not suspended. */
export const isAdministrator = { role: 'admin' satisfies Role, suspended_at: null };

/**
 * Returns the administrators who are not suspended, and locks their rows. All transactions lock them in the same order,
 * so that there is no deadlock.
 */
export async function lockAdministrators(trx: Knex.Transaction): Promise<UserId[]> {
  const ids: number[] = await trx<UserRow>('users').where(isAdministrator).orderBy('id').forUpdate().pluck('id');
  return ids.map(toUserId);
}
