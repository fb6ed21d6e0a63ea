import type { Endpoint } from '../../surface.ts';
import { goTo } from '../answer.ts';
import { page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { AdminTools } from './admin-tools.ts';
import { auditPage } from './audit.tsx';
import { invitePages } from './invite.tsx';
import { mailListPage } from './mail-list.tsx';
import { mailPages } from './mail-page.tsx';
import { systemPage } from './system.tsx';
import { userForms } from './user-forms.tsx';
import { revokeKeyPages } from './user-keys.tsx';
import { userListPage } from './user-list.tsx';
import { userPage } from './user-page.tsx';
import { endSessionButtons } from './user-sessions.tsx';

/** The pages of administrators. If two paths match a request, the first one answers it. */
export function adminPages(tools: DashboardTools, admin: AdminTools): Endpoint[] {
  return [
    page(tools, {
      id: 'admin',
      path: '/admin',
      audience: 'users:read',
      show: async () => goTo('admin/users'),
    }),
    userListPage(tools, admin),
    ...invitePages(tools, admin),
    userPage(tools, admin),
    ...userForms(tools, admin),
    ...revokeKeyPages(tools, admin),
    ...endSessionButtons(tools, admin),
    auditPage(tools, admin),
    mailListPage(tools, admin),
    ...mailPages(tools, admin),
    systemPage(tools, admin),
  ];
}
