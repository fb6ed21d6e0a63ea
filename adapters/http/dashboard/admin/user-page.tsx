import type { VNode } from 'preact';
import type { DetailedUser } from '../../../../core/accounts/administration.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { Endpoint } from '../../surface.ts';
import { Facts } from '../../ui/facts.tsx';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import { addressWith } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import { type AdminTools, userIn } from './admin-tools.ts';
import { addressOf, UserPage } from './user-frame.tsx';
import { KeyPart } from './user-keys.tsx';
import { SessionPart } from './user-sessions.tsx';
import { RoleTag, StateTag } from './user-tags.tsx';

const { user: words, tiers, never } = texts.admin;

/** One user, with everything that an administrator sees and does. */
export function userPage(tools: DashboardTools, admin: AdminTools): Endpoint {
  return page(tools, {
    id: 'admin-user',
    path: '/admin/users/:id',
    audience: 'users:read',
    async show(visit) {
      const { frame, me } = visit;
      const found = await userIn(admin, visit);
      const { user } = found;
      const [keys, sessions] = await Promise.all([
        admin.accounts.listKeys(String(user.id), actorOf(visit)),
        admin.sessions.list(user.id),
      ]);
      const address = `${frame.root}${addressOf(user)}`;
      return shown(
        <UserPage frame={frame} user={user} actions={<Suspending user={user} address={address} />}>
          <Account found={found} frame={frame} isMe={user.id === me.login.id} />
          <KeyPart keys={orFail(keys)} address={address} now={tools.clock.now()} />
          <SessionPart sessions={sessions} address={address} current={me.session.id} />
        </UserPage>,
      );
    },
  });
}

function Suspending({ user, address }: { readonly user: User; readonly address: string }): VNode {
  if (user.suspendedAt === null) {
    return (
      <a class="button danger" href={`${address}/suspend`}>
        {words.suspend}
      </a>
    );
  }
  return (
    <a class="button primary" href={`${address}/reinstate`}>
      {words.reinstate}
    </a>
  );
}

function Account({
  found: { user, emailVerifiedAt, hasPassword, hasSecondFactor, lastSeenAt, keyUsedAt },
  frame: { root },
  isMe,
}: {
  readonly found: DetailedUser;
  readonly frame: Frame;
  readonly isMe: boolean;
}): VNode {
  const address = `${root}${addressOf(user)}`;
  const trail = (of: Readonly<Record<string, string>>) => addressWith(`${root}admin/audit`, of);
  return (
    <section class="panel">
      <h2>
        {words.account} {isMe && <span class="tag">{texts.admin.you}</span>}
      </h2>
      <Facts
        facts={[
          [words.email, user.email],
          [words.verified, emailVerifiedAt === null ? words.notVerified : <Time at={emailVerifiedAt} />],
          [words.password, hasPassword ? words.hasPassword : words.hasNoPassword],
          [words.secondFactor, hasSecondFactor ? words.hasSecondFactor : words.hasNoSecondFactor],
          [
            words.tier,
            <>
              {tiers[user.tier]} <a href={`${address}/plan`}>{words.changeTier}</a>
            </>,
          ],
          [
            words.role,
            <>
              <RoleTag role={user.role} /> <a href={`${address}/role`}>{words.changeRole}</a>
            </>,
          ],
          [words.state, <StateTag key="state" user={user} />],
          ...(user.suspendedAt === null
            ? []
            : [[words.suspendedSince, <Time key="suspended" at={user.suspendedAt} />] as const]),
          [words.added, <Time key="added" at={user.createdAt} />],
          [words.lastSeen, lastSeenAt === null ? never : <Time at={lastSeenAt} />],
          [words.keyUsed, keyUsedAt === null ? never : <Time at={keyUsedAt} />],
        ]}
      />
      <p class="choices">
        <a class="button small" href={trail({ subject: user.email })}>
          {words.trail}
        </a>
        <a class="button small" href={trail({ actor: user.email })}>
          {words.done}
        </a>
      </p>
    </section>
  );
}
