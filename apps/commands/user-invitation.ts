import { type Command, Option } from 'commander';
import { type Role, roles } from '../../core/accounts/role.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { email } from './fields.ts';
import type { Terminal } from './terminal.ts';

interface InviteOptions extends ChangeOptions {
  readonly email: string;
  readonly role?: Role;
  readonly mail?: true;
}

/** Adds the command to invite somebody, who then chooses a name and a password. */
export function addInvitationCommand(user: Command, terminal: Terminal): void {
  changing(user.command('invite'))
    .description('Invite somebody to create an account, or a user without a password to choose one')
    .requiredOption('--email <address>', 'the e-mail address of the account', reads(email))
    .addOption(new Option('--role <role>', 'the role of the account').choices(roles))
    .option('--mail', 'send the link to this address instead of printing it')
    .action((options: InviteOptions) =>
      administer(terminal, options, async (parts) => {
        const { email: address, role = null, mail } = options;
        const deliver = mail ? 'letter' : 'return';
        const invited = await (await parts.get(t.signUp)).invite({ email: address, role, deliver }, operator(options));
        if (isRefused(invited)) return invited;
        const { BASE_URL } = await parts.get(t.config);
        const link = invited.token === undefined ? null : `${BASE_URL}/invitation#${invited.token}`;
        return {
          json: { invitation: { email: address.toLowerCase(), role, link } },
          text: link ?? `The link will be sent to ${address.toLowerCase()}.`,
        };
      }),
    );
}
