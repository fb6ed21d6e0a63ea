import type { ComponentChildren, VNode } from 'preact';
import type { Credentials } from '../../../../core/accounts/credentials.ts';
import type { Login } from '../../../../core/accounts/login.ts';
import type { Naming } from '../../../../core/accounts/naming.ts';
import type { SecondFactorSetUp } from '../../../../core/accounts/second-factor-set-up.ts';
import type { Session } from '../../../../core/accounts/session.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import { isOfSandbox } from '../../../../core/accounts/user.ts';
import { parseId, type SessionId, toSessionId } from '../../../../core/id.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { browserName } from '../../ui/browser-name.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import { actorOf, type DashboardTools, page } from '../kit/page.ts';
import { entry, ownDataPages, place } from './own-data.tsx';
import { secondFactorPages } from './second-factor.tsx';
import { words } from './words.ts';

/** The dependencies of the pages about signing in. */
export interface SecurityTools {
  readonly sessions: Pick<Sessions, 'list' | 'end' | 'signOut'>;
  readonly naming: Naming;
  readonly credentials: Credentials;
  readonly secondFactor: SecondFactorSetUp;
}

/** The pages about one's name and the ways to sign in. */
export function securityPages(tools: DashboardTools, own: SecurityTools): Endpoint[] {
  return [
    securityOverview(tools, own.sessions),
    ...sessionEndpoints(tools, own.sessions),
    ...ownDataPages(tools, own.naming, own.credentials),
    ...secondFactorPages(tools, own.secondFactor),
  ];
}

/** Below this number of recovery codes, the page warns. */
const fewCodes = 3;

/** The page with the user's ways to sign in, and the browsers that are signed in. */
function securityOverview(tools: DashboardTools, { list }: Pick<Sessions, 'list'>): Endpoint {
  return page(tools, {
    id: 'security',
    path: '/account/security',
    audience: 'user',
    async show({ frame, me: { login, session } }) {
      return shown(
        <AreaPage frame={frame} place={place}>
          {frame.person?.needsSecondFactor && <Invitation root={frame.root} />}
          <OwnData login={login} root={frame.root} />
          {/* Signing out ends the access to an account of a sandbox, and no other browser can be signed in to it. */}
          {!isOfSandbox(login) && sessionList(await list(login.id), session.id, frame.root)}
        </AreaPage>,
      );
    },
  });
}

/** Administrators need the second factor most. */
function Invitation({ root }: { readonly root: string }): VNode {
  return (
    <section class="panel marked">
      <h2>{words.factor.invitationTitle}</h2>
      <p>{words.factor.invitation}</p>
      <p>
        <ButtonLink href={`${root}${entry}/second-factor`} text={words.factor.setUp} look="primary" />
      </p>
    </section>
  );
}

function OwnData({ login, root }: { readonly login: Login; readonly root: string }): VNode {
  const at = `${root}${entry}`;
  const { name, email, emailVerifiedAt } = login;
  const ownName = (
    <Row title={words.name.title} actions={<Change href={`${at}/name`} what={words.name.title} />}>
      <p>
        <span dir="auto">{name}</span>
      </p>
    </Row>
  );
  if (isOfSandbox(login)) {
    return (
      <ul class="rows panel">
        {ownName}
        <Row title={words.password.title}>
          <p>{words.password.none}</p>
        </Row>
      </ul>
    );
  }
  return (
    <ul class="rows panel">
      {ownName}
      <Row
        title={words.email.title}
        tag={
          emailVerifiedAt === null ? (
            <span class="tag bad">{words.email.notVerified}</span>
          ) : (
            <span class="tag good">{words.email.verified}</span>
          )
        }
        actions={
          <>
            {emailVerifiedAt === null && (
              <ButtonForm action={`${at}/email/verification`} label={words.email.verify} name={words.email.title} />
            )}
            <Change href={`${at}/email`} what={words.email.title} />
          </>
        }
      >
        <p>{email}</p>
      </Row>
      <Row title={words.password.title} actions={<Change href={`${at}/password`} what={words.password.title} />}>
        <p>{words.password.isSet}</p>
      </Row>
      <SecondFactorRow login={login} at={at} />
    </ul>
  );
}

function SecondFactorRow({ login: { secondFactor }, at }: { readonly login: Login; readonly at: string }): VNode {
  const { factor } = words;
  if (secondFactor === null) {
    return (
      <Row
        title={factor.title}
        tag={<span class="tag">{factor.off}</span>}
        actions={<ButtonLink href={`${at}/second-factor`} text={factor.setUp} look="small" />}
      >
        <p>{factor.offLead}</p>
      </Row>
    );
  }
  const left = secondFactor.recoveryDigests.length;
  return (
    <Row
      title={factor.title}
      tag={<span class="tag good">{factor.on}</span>}
      actions={
        <>
          <ButtonLink href={`${at}/recovery-codes`} text={factor.newCodes} look="small" />
          <ButtonLink href={`${at}/second-factor`} text={factor.otherApp} look="small" />
          <ButtonLink href={`${at}/second-factor/off`} text={factor.switchOff} look="small danger" />
        </>
      }
    >
      <p>{factor.onLead}</p>
      <p class={left < fewCodes ? 'fault' : undefined}>{factor.codesLeft(left)}</p>
    </Row>
  );
}

function Row({
  title,
  tag,
  actions,
  children,
}: {
  readonly title: string;
  readonly tag?: VNode;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <li class="row">
      <div class="about">
        <h2>
          {title} {tag}
        </h2>
        {children}
      </div>
      {actions && <div class="choices">{actions}</div>}
    </li>
  );
}

function Change({ href, what }: { readonly href: string; readonly what: string }): VNode {
  return <ButtonLink href={href} text={words.change} about={what} look="small" />;
}

const { sessions: names } = words;
/** A person has a few browsers. A program that signs in again and again may have thousands of sessions. */
const most = 50;

/** The buttons that end sessions. */
function sessionEndpoints(tools: DashboardTools, { end, signOut }: Pick<Sessions, 'end' | 'signOut'>): Endpoint[] {
  return [
    click(tools, {
      id: 'end-session',
      path: '/account/security/sessions/:id/end',
      audience: 'user',
      async act(visit) {
        const {
          me,
          params: { id: text = '' },
        } = visit;
        const id = parseId(text, toSessionId);
        if (id === undefined) throw new Failure('not_found');
        if (id === me.session.id) {
          await signOut(me);
          return goTo('sign-in', { notice: 'signed_out', session: 'ended' });
        }
        const ended = await end(me.login.id, { only: id }, actorOf(visit));
        // The session of another person is as unknown as one that has ended.
        if (isRefused(ended) || ended === 0) throw new Failure('not_found');
        return goTo(entry, { notice: 'browser_signed_out' });
      },
      refusals: {},
    }),

    click(tools, {
      id: 'end-other-sessions',
      path: '/account/security/sessions/end-others',
      audience: 'user',
      async act(visit) {
        const { me } = visit;
        const ended = await end(me.login.id, { allBut: me.session.id }, actorOf(visit));
        return isRefused(ended) ? refuse('signed_out') : goTo(entry, { notice: 'others_signed_out' });
      },
      refusals: {},
    }),
  ];
}

/** The browsers in which somebody is signed in, this one first. */
function sessionList(sessions: readonly Session[], current: SessionId, root: string): VNode {
  const others = sessions.filter(({ id }) => id !== current);
  const sorted = [...sessions.filter(({ id }) => id === current), ...others];
  return (
    <section>
      <PartHead title={names.title} lead={names.lead}>
        {others.length > 0 && <ButtonForm action={`${root}${entry}/sessions/end-others`} label={names.endOthers} />}
      </PartHead>
      <ul class="rows panel">
        {sorted.slice(0, most).map((session) => (
          <Entry key={session.id} session={session} isThis={session.id === current} root={root} />
        ))}
      </ul>
      {sorted.length > most && <p class="lead">{names.more(sorted.length - most)}</p>}
    </section>
  );
}

function Entry({
  session,
  isThis,
  root,
}: {
  readonly session: Session;
  readonly isThis: boolean;
  readonly root: string;
}): VNode {
  const { id, browser, address, startedAt, lastSeenAt } = session;
  const name = browserName(browser);
  return (
    <li class="row">
      <div class="about">
        <h3>
          <span dir="auto" title={browser}>
            {name}
          </span>
          {isThis && <span class="tag good">{names.isThis}</span>}
        </h3>
        <ul class="details">
          <li>{address}</li>
          <li>
            {names.signedIn} <Time at={startedAt} />
          </li>
          <li>
            {names.lastSeen} <Time at={lastSeenAt} />
          </li>
        </ul>
      </div>
      <ButtonForm action={`${root}${entry}/sessions/${id}/end`} label={names.end} name={name} />
    </li>
  );
}
