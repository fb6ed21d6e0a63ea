import type { ComponentChildren } from 'preact';
import type { User } from '../../../../../core/accounts/user.ts';
import type { UserId } from '../../../../../core/id.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import { areas } from '../../../ui/area-page.tsx';
import { texts } from '../../../ui/texts.ts';
import type { LicenseTools } from './license-tools.ts';

/** The sellers of licenses or orders, by id. */
export type Owners = ReadonlyMap<UserId, User>;

export async function ownersOf(
  accounts: LicenseTools['accounts'],
  ownerIds: readonly (UserId | null)[],
): Promise<Owners> {
  const ids = [...new Set(ownerIds.flatMap((id) => id ?? []))];
  const users = await Promise.all(ids.map((id) => accounts.find(String(id))));
  return new Map(users.flatMap((user) => (isRefused(user) ? [] : [[user.id, user] as const])));
}

/** The name of an owner, as a link for administrators. */
export function ownerLink(root: string, id: UserId | null, owners: Owners): ComponentChildren {
  if (id === null) return texts.sellingLicenses.operator;
  const owner = owners.get(id);
  return (
    <a href={`${root}${areas.admin.users}/${id}`} class="breakable" dir="auto">
      {owner?.name || owner?.email || id}
    </a>
  );
}
