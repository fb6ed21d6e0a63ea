import { Argument, type Command, Option } from 'commander';
import { type Role, roles } from '../../core/accounts/role.ts';
import { tierNames } from '../../core/accounts/tier.ts';
import type { User } from '../../core/accounts/user.ts';
import type { DetailedUser, UserAdministration, UserQuery } from '../../core/accounts/user-administration.ts';
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
  suspend: 'Refuse the sign-in and the API keys of a user, until the user is reinstated',
  reinstate: 'End the suspension of a user',
} as const satisfies Partial<Record<keyof UserAdministration, string>>;

/** The word for no role. */
const none = 'none';

/** Adds the commands to find users, and to change what they may do. */
export function addUserAdministrationCommands(user: Command, terminal: Terminal): void {
  answering(user.command('list'))
    .description('List users, newest first. With --search, in the order of the matching texts')
    .option(
      '--search <text>',
      'only users with a name or e-mail address in which a word begins with this text',
      reads(line(254)),
    )
    .addOption(new Option('--tier <tier>', 'only users on this plan').choices(tierNames))
    .addOption(new Option('--role <role>', 'only users with this role').choices(roles))
    .option('--suspended', 'only suspended users')
    .option('--no-suspended', 'only users who are not suspended')
    .option('--limit <n>', 'the largest number of users, 1 to 10000', reads(wholeNumber(1, 10_000)), 100)
    .option('--after <place>', 'only users after this place, printed at the end of the previous page')
    .action(({ suspended, ...options }: AnswerOptions & UserQuery & { suspended?: boolean }) =>
      administer(terminal, options, async (parts) => {
        const page = await (await parts.get(t.userAdministration)).list(
          { ...options, isSuspended: suspended },
          operator(),
        );
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
        showDetails(await (await parts.get(t.userAdministration)).detail(idOrEmail, operator())),
      ),
    );

  for (const act of ['suspend', 'reinstate'] as const) {
    changing(user.command(act))
      .description(acts[act])
      .argument('<id or email>')
      .action((idOrEmail: string, options: ChangeOptions) =>
        administer(terminal, options, async (parts) => {
          const administration = await parts.get(t.userAdministration);
          return show(await administration[act](idOrEmail, operator(options)));
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

function showDetails(detailed: DetailedUser | Refused): Answer | Refused {
  if (isRefused(detailed)) return detailed;
  const { user, ...details } = detailed;
  const { keys, keyUsedAt, lastSeenAt, emailVerifiedAt, hasPassword, hasSecondFactor } = details;
  const text = table([
    ...rowsOf(user),
    ['keys', String(keys)],
    ['key used', keyUsedAt === null ? 'never' : iso(keyUsedAt)],
    ['last seen', lastSeenAt === null ? 'no session' : iso(lastSeenAt)],
    ['verified', emailVerifiedAt === null ? 'no' : iso(emailVerifiedAt)],
    ['password', hasPassword ? 'yes' : 'no'],
    ['two-factor', hasSecondFactor ? 'on' : 'off'],
  ]);
  return { json: { user: { ...render(user), ...details } }, text };
}

function show(user: User | Refused): Answer | Refused {
  return isRefused(user) ? user : { json: { user: render(user) }, text: table(rowsOf(user)) };
}

function rowsOf(user: User): string[][] {
  const { id, name, email, tier, role, createdAt } = user;
  return [
    ['user', String(id)],
    ['name', name],
    ['e-mail', email],
    ['plan', tier],
    ['role', role ?? none],
    ['state', stateOf(user)],
    ['created', iso(createdAt)],
  ];
}

function render({ id, name, email, tier, role, selling, createdAt, suspendedAt }: User) {
  return { id, name, email, tier, role, selling, createdAt, suspendedAt };
}

function stateOf({ suspendedAt }: User): string {
  return suspendedAt === null ? 'active' : `suspended since ${iso(suspendedAt)}`;
}
