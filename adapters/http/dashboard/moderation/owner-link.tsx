import type { VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import { texts } from '../../ui/texts.ts';

/** The e-mail address of a product's owner, with the way to their account. */
export function OwnerLink({ owner, root }: { readonly owner: User | undefined; readonly root: string }): VNode {
  if (owner === undefined) return <span>{texts.moderation.all.noOwner}</span>;
  return (
    <a href={`${root}admin/users/${owner.id}`} class="breakable">
      {owner.email}
    </a>
  );
}
