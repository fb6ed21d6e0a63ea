import { type LinkKind, linkLives } from '../../../../core/accounts/one-time-link.ts';
import { lasting } from '../../ui/numbers.ts';
import type { DashboardTools } from './page.ts';

/** What a page says after somebody asked for a mail with a link: to look for it, or that this site sends no mails. */
export function mailedWords({ sendsMail }: Pick<DashboardTools, 'sendsMail'>, email: string, kind: LinkKind) {
  const life = lasting(linkLives[kind]);
  return sendsMail
    ? {
        title: 'Check your e-mail',
        text: `We sent an e-mail to ${email}. Open the link in it within ${life}. If it does not arrive within a few minutes, check your spam folder.`,
      }
    : {
        title: 'Ask for your link',
        text: `This site cannot send e-mail yet, so what we wrote to ${email} was kept. If an account has this address, ask an administrator, or whoever runs this site, for the link. It works for ${life}.`,
      };
}
