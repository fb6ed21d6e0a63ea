import { type ComponentChildren, Fragment, type VNode } from 'preact';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { UserId } from '../../../../core/id.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { areas } from '../../ui/area-page.tsx';

/** The name of the seller of what belongs to no user. */
const operator = 'This site';

/** The sellers of things in a list, by id. */
export type Owners = ReadonlyMap<UserId, User>;

export async function ownersOf(
  accounts: Pick<Accounts, 'find'>,
  ownerIds: readonly (UserId | null)[],
): Promise<Owners> {
  const ids = [...new Set(ownerIds.flatMap((id) => id ?? []))];
  const users = await Promise.all(ids.map((id) => accounts.find(String(id))));
  return new Map(users.flatMap((user) => (isRefused(user) ? [] : [[user.id, user] as const])));
}

/** The name of an owner, as a link for administrators. */
export function ownerLink(root: string, id: UserId | null, owners: Owners): ComponentChildren {
  if (id === null) return operator;
  const owner = owners.get(id);
  return (
    <a href={`${root}${areas.admin.users}/${id}`} class="breakable" dir="auto">
      {owner?.name || owner?.email || id}
    </a>
  );
}

/** The name of a buyer or holder and, in one line below it, the address and what `also` says. */
export function PersonText({
  person: { name, email },
  also = null,
}: {
  readonly person: { readonly name: string | null; readonly email: string | null };
  readonly also?: string | null;
}): VNode {
  const below = [name === null ? null : email, also].filter((text) => text !== null);
  return (
    <span class="breakable holder">
      <span dir="auto">{name ?? email}</span>
      {below.length > 0 && (
        <span class="under">
          {below.map((text, at) => (
            <Fragment key={text}>
              {at > 0 && ' · '}
              <bdi>{text}</bdi>
            </Fragment>
          ))}
        </span>
      )}
    </span>
  );
}
