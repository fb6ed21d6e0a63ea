import type { ComponentChildren } from 'preact';
import type { User } from '../../../../../core/accounts/user.ts';
import type { UserId } from '../../../../../core/id.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import { areas } from '../../../ui/area-page.tsx';
import { texts } from '../../../ui/texts.ts';
import type { LicenseTools } from './license-tools.ts';

/** The owners of licenses, by id. */
export type Owners = ReadonlyMap<UserId, User>;

export async function ownersOf(
  accounts: LicenseTools['accounts'],
  licenses: readonly Pick<SoldLicense, 'license'>[],
): Promise<Owners> {
  const ids = [...new Set(licenses.flatMap(({ license: { ownerId } }) => ownerId ?? []))];
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
