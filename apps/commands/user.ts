import { Argument, type Command, Option } from 'commander';
import { type Role, roles } from '../../core/accounts/role.ts';
import { type Tier, tierNames } from '../../core/accounts/tier.ts';
import { longestName } from '../../core/accounts/user.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { email, line } from './fields.ts';
import type { Terminal } from './terminal.ts';
import { addUserAdministrationCommands } from './user-administration.ts';

export function addUserCommands(program: Command, terminal: Terminal): void {
  const user = program.command('user').description('Account holders: buyers and sellers');

  changing(
    user
      .command('add')
      .description('Add an account holder')
      .requiredOption('--name <name>', `name, 1 to ${longestName} characters`, reads(line(longestName)))
      .requiredOption('--email <address>', 'e-mail address, different for each user', reads(email))
      .addOption(new Option('--tier <tier>', 'plan').choices(tierNames).default('free')),
  ).action((options: ChangeOptions & { name: string; email: string; tier: Tier }) =>
    administer(terminal, options, async (parts) => {
      const accounts = await parts.get(t.accounts);
      const added = await accounts.add(
        { name: options.name, email: options.email, tier: options.tier },
        operator(options),
      );
      if (isRefused(added)) return added;
      const { id, name, email, tier, createdAt } = added;
      return {
        json: { user: { id, name, email, tier, createdAt } },
        text: `Added user ${id}: ${name} <${email}>, ${tier}`,
      };
    }),
  );

  changing(user.command('set-tier'))
    .description('Change the plan of an account holder')
    .argument('<id or email>')
    .addArgument(new Argument('<tier>').choices(tierNames))
    .action((idOrEmail: string, tier: Tier, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const changed = await (await parts.get(t.accounts)).setTier(idOrEmail, tier, operator(options));
        if (isRefused(changed)) return changed;
        const { id, name, email } = changed;
        return { json: { user: { id, name, email, tier } }, text: `User ${id}, ${email}, is on ${tier}` };
      }),
    );

  addInvitationCommand(user, terminal);
  addUserAdministrationCommands(user, terminal);
}

interface InviteOptions extends ChangeOptions {
  readonly email: string;
  readonly role?: Role;
  readonly mail?: true;
}

/** Adds the command to invite somebody, who then chooses a name and a password. */
function addInvitationCommand(user: Command, terminal: Terminal): void {
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
