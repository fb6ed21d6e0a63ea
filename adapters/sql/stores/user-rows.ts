import type { Knex } from 'knex';
import type { Role } from '../../../core/accounts/role.ts';
import type { Tier } from '../../../core/accounts/tier.ts';
import { searchable, type User } from '../../../core/accounts/user.ts';
import { toUserId, type UserId } from '../../../core/id.ts';

export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly tier: string;
  readonly created_at: number;
  readonly role: string | null;
  readonly suspended_at: number | null;
}

/** What is written for a user. The search name is only for searching. */
interface WrittenRow extends UserRow {
  readonly search_name: string;
}

export function toUser({ id, name, email, tier, created_at, role, suspended_at }: UserRow): User {
  return {
    id: toUserId(id),
    name,
    email,
    tier: tier as Tier,
    createdAt: created_at,
    role: role as Role | null,
    suspendedAt: suspended_at,
  };
}

export function toUserRow(user: Omit<User, 'id'>): Omit<WrittenRow, 'id'> {
  const { name, email, tier, role, createdAt, suspendedAt } = user;
  return { name, email, tier, role, created_at: createdAt, suspended_at: suspendedAt, search_name: searchable(name) };
}

/**
 * Returns the administrators who are not suspended, and locks their rows. All transactions lock them in the same order,
 * so that none waits for another in a circle.
 */
export async function lockAdministrators(trx: Knex.Transaction): Promise<UserId[]> {
  const admin: Role = 'admin';
  const ids: number[] = await trx<UserRow>('users')
    .where({ role: admin, suspended_at: null })
    .orderBy('id')
    .forUpdate()
    .pluck('id');
  return ids.map(toUserId);
}
