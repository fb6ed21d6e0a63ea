import { Argument, type Command, Option } from 'commander';
import { type Tier, tierNames } from '../../core/accounts/tier.ts';
import { longestName } from '../../core/accounts/user.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { email, line } from './fields.ts';
import type { Terminal } from './terminal.ts';
import { addUserAdministrationCommands } from './user-administration.ts';
import { addInvitationCommand } from './user-invitation.ts';

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
