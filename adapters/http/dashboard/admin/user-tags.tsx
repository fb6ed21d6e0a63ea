import type { VNode } from 'preact';
import type { Role } from '../../../../core/accounts/role.ts';
import type { User } from '../../../../core/accounts/user.ts';
import { texts } from '../../ui/texts.ts';

const { roles, plainUser, users } = texts.admin;

export function RoleTag({ role }: { readonly role: Role | null }): VNode {
  return role === null ? <span>{plainUser}</span> : <span class="tag good">{roles[role]}</span>;
}

export function StateTag({ user: { suspendedAt } }: { readonly user: Pick<User, 'suspendedAt'> }): VNode {
  if (suspendedAt === null) return <span>{users.states.active}</span>;
  return <span class="tag bad">{users.states.suspended}</span>;
}
