import type { VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import type { DetailedUser } from '../../../../core/accounts/user-administration.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Facts } from '../../ui/list.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { listWords, planNames } from '../../ui/words.ts';
import { actorOf, type DashboardTools, orFail } from '../kit/page.ts';
import { addressWith } from '../kit/query.ts';
import { subjectPage } from '../kit/subject-page.tsx';
import { endSessionActs, KeyPart, revokeKeyAct, SessionPart } from './access.tsx';
import { userActs } from './acts.tsx';
import { invitePages, RoleTag, StateTag, type UserTools, userList, userSubject } from './list.tsx';
import { user as words } from './words.ts';

/** The pages of administrators about users. If two paths match a request, the first one answers it. */
export function userPages(tools: DashboardTools, own: UserTools): Endpoint[] {
  const subject = userSubject(own);
  return [
    ...userList(tools, own),
    ...invitePages(tools, own),
    // Everything that an administrator sees of a user.
    subjectPage(tools, subject, {
      id: 'admin-user',
      async show({ one, visit, root, address }) {
        const { me } = visit;
        const { user } = one;
        const [keys, sessions] = await Promise.all([
          own.accounts.listKeys(String(user.id), actorOf(visit)),
          own.sessions.list(user.id),
        ]);
        return {
          actions: <Suspending user={user} address={address} />,
          children: (
            <>
              <Account found={one} root={root} address={address} isMe={user.id === me.login.id} />
              <KeyPart keys={orFail(keys)} address={address} now={tools.clock.now()} />
              <SessionPart sessions={sessions} address={address} current={me.session.id} />
            </>
          ),
        };
      },
    }),
    ...userActs(tools, subject, own),
    ...revokeKeyAct(tools, subject, own),
    ...endSessionActs(tools, subject, own),
  ];
}

function Suspending({ user, address }: { readonly user: User; readonly address: string }): VNode {
  if (user.suspendedAt === null) {
    return <ButtonLink href={`${address}/suspend`} text={words.suspend} look="danger" />;
  }
  return <ButtonLink href={`${address}/reinstate`} text={words.reinstate} look="primary" />;
}

function Account({
  found: { user, emailVerifiedAt, hasPassword, hasSecondFactor, lastSeenAt, keyUsedAt },
  root,
  address,
  isMe,
}: {
  readonly found: DetailedUser;
  readonly root: string;
  readonly address: string;
  readonly isMe: boolean;
}): VNode {
  const trail = (of: Readonly<Record<string, string>>) => addressWith(`${root}admin/audit`, of);
  return (
    <section class="panel">
      <h2>
        {words.account} {isMe && <span class="tag">{words.isMe}</span>}
      </h2>
      <Facts
        facts={[
          [words.email, user.email],
          [words.verified, timeOr(emailVerifiedAt, words.notVerified)],
          [words.password, hasPassword ? words.hasPassword : words.hasNoPassword],
          [words.secondFactor, hasSecondFactor ? words.hasSecondFactor : words.hasNoSecondFactor],
          [
            words.tier,
            <>
              {planNames[user.tier]} <a href={`${address}/plan`}>{words.changeTier}</a>
            </>,
          ],
          user.plan !== undefined && [words.paidTier, planNames[user.plan.paid]],
          user.plan !== undefined && [words.assignedTier, planNames[user.plan.assigned]],
          [
            words.role,
            <>
              <RoleTag role={user.role} /> <a href={`${address}/role`}>{words.changeRole}</a>
            </>,
          ],
          [
            words.selling,
            <>
              {words.sellingAs[user.selling ?? 'none']} <a href={`${address}/selling`}>{words.changeSelling}</a>
            </>,
          ],
          [words.state, <StateTag key="state" user={user} />],
          user.suspendedAt !== null && [words.suspendedSince, <Time key="suspended" at={user.suspendedAt} />],
          [words.added, <Time key="added" at={user.createdAt} />],
          [words.lastSeen, timeOr(lastSeenAt, listWords.never)],
          [words.keyUsed, timeOr(keyUsedAt, listWords.never)],
        ]}
      />
      <p class="choices">
        <ButtonLink href={trail({ subject: user.email })} text={words.trail} look="small" />
        <ButtonLink href={trail({ actor: user.email })} text={words.done} look="small" />
      </p>
    </section>
  );
}
