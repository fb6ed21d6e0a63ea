import type { ComponentChildren, VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';

const { users } = texts.admin;
const list = 'admin/users';

/** The address of a user from the first page of the site. */
export function addressOf({ id }: Pick<User, 'id'>): string {
  return `${list}/${id}`;
}

/** A page about a user. `title` is that of a page below the user's own. */
export function UserPage({
  frame,
  user,
  title,
  actions,
  children,
}: {
  readonly frame: Frame;
  readonly user: User;
  readonly title?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const name = user.name || user.email;
  const above = [{ href: `${frame.root}${list}`, title: users.title }];
  const own = { href: `${frame.root}${addressOf(user)}`, title: name };
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'admin', at: 'users' }}
      title={title ?? name}
      above={title === undefined ? above : [...above, own]}
      actions={actions}
    >
      {children}
    </AreaPage>
  );
}
