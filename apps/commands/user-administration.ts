import { Argument, type Command, Option } from 'commander';
import type { UserAdministration, UserQuery } from '../../core/accounts/administration.ts';
import { type Role, roles } from '../../core/accounts/role.ts';
import { tierNames } from '../../core/accounts/tier.ts';
import type { User } from '../../core/accounts/user.ts';
import { toUserId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import {
  type Answer,
  type AnswerOptions,
  administer,
  answering,
  type ChangeOptions,
  changing,
  operator,
  reads,
} from './action.ts';
import { line, wholeNumber } from './fields.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

const acts = {
  suspend: 'Refuse the API keys of a user until the user is reinstated',
  reinstate: 'End the suspension of a user',
} as const satisfies Partial<Record<keyof UserAdministration, string>>;

const userId = wholeNumber(1, 999_999_999_999_999).transform(toUserId);

/** The word for no role. */
const none = 'none';

/** Adds the commands to find users, and to change what they may do. */
export function addUserAdministrationCommands(user: Command, terminal: Terminal): void {
  answering(user.command('list'))
    .description('List users, newest first. With --search, by e-mail address, then by name')
    .option('--search <text>', 'only users whose name or e-mail address begins with this', reads(line(254)))
    .addOption(new Option('--tier <tier>', 'only users on this plan').choices(tierNames))
    .addOption(new Option('--role <role>', 'only users with this role').choices(roles))
    .option('--limit <n>', 'the largest number of users, 1 to 10000', reads(wholeNumber(1, 10_000)), 100)
    .option('--after <id>', 'only users after this one', reads(userId))
    .action((options: AnswerOptions & UserQuery) =>
      administer(terminal, options, async (parts) => {
        const page = await (await parts.get(t.userAdministration)).list(options, operator());
        if (isRefused(page)) return page;
        const { users, next } = page;
        const text = table([
          ['ID', 'NAME', 'E-MAIL', 'PLAN', 'ROLE', 'STATE'],
          ...users.map((one) => [String(one.id), one.name, one.email, one.tier, one.role ?? '-', stateOf(one)]),
        ]);
        const json = { users: users.map(render), nextAfter: next };
        return { json, text: next === null ? text : `${text}\nMore: --after ${next}` };
      }),
    );

  answering(user.command('show'))
    .description('Show a user')
    .argument('<id or email>')
    .action((idOrEmail: string, options: AnswerOptions) =>
      administer(terminal, options, async (parts) =>
        show(await (await parts.get(t.userAdministration)).show(idOrEmail, operator())),
      ),
    );

  for (const [act, description] of Object.entries(acts)) {
    changing(user.command(act))
      .description(description)
      .argument('<id or email>')
      .action((idOrEmail: string, options: ChangeOptions) =>
        administer(terminal, options, async (parts) => {
          const administration = await parts.get(t.userAdministration);
          return show(await administration[act as keyof typeof acts](idOrEmail, operator(options)));
        }),
      );
  }

  changing(user.command('set-role'))
    .description('Make a user an administrator, or take the role away')
    .argument('<id or email>')
    .addArgument(new Argument('<role>', 'the new role').choices([...roles, none]))
    .action((idOrEmail: string, role: Role | typeof none, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const administration = await parts.get(t.userAdministration);
        return show(await administration.setRole(idOrEmail, role === none ? null : role, operator(options)));
      }),
    );
}

function show(user: User | Refused): Answer | Refused {
  if (isRefused(user)) return user;
  const { id, name, email, tier, role, createdAt } = user;
  const text = table([
    ['user', String(id)],
    ['name', name],
    ['e-mail', email],
    ['plan', tier],
    ['role', role ?? none],
    ['state', stateOf(user)],
    ['created', iso(createdAt)],
  ]);
  return { json: { user: render(user) }, text };
}

function render({ id, name, email, tier, role, createdAt, suspendedAt }: User) {
  return { id, name, email, tier, role, createdAt, suspendedAt };
}

function stateOf({ suspendedAt }: User): string {
  return suspendedAt === null ? 'active' : `suspended since ${iso(suspendedAt)}`;
}
