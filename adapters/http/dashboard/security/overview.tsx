import type { ComponentChildren, VNode } from 'preact';
import type { Login } from '../../../../core/accounts/login.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { shown } from '../answer.ts';
import { page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { entry } from './security-page.tsx';
import { SessionList } from './sessions.tsx';

const { security: words } = texts;
/** Below this number of recovery codes, the page warns. */
const fewCodes = 3;

/** The page with the user's ways to sign in, and the browsers that are signed in. */
export function securityOverview(tools: DashboardTools, { list }: Pick<Sessions, 'list'>): Endpoint {
  return page(tools, {
    id: 'security',
    path: '/account/security',
    audience: 'user',
    async show({ frame, me: { login, session } }) {
      return shown(
        <AreaPage frame={frame} place={{ area: 'account', at: 'security' }} title={words.title}>
          {frame.person?.needsSecondFactor && <Invitation root={frame.root} />}
          <OwnData login={login} root={frame.root} />
          <SessionList sessions={await list(login.id)} current={session.id} root={frame.root} />
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
        <a class="button primary" href={`${root}${entry}/second-factor`}>
          {words.factor.setUp}
        </a>
      </p>
    </section>
  );
}

function OwnData({ login, root }: { readonly login: Login; readonly root: string }): VNode {
  const at = `${root}${entry}`;
  const { name, email, emailVerifiedAt } = login;
  return (
    <ul class="rows panel">
      <Row title={words.name.title} actions={<Change href={`${at}/name`} what={words.name.title} />}>
        <p>
          <span dir="auto">{name}</span>
        </p>
      </Row>
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
        actions={
          <a class="button small" href={`${at}/second-factor`}>
            {factor.setUp}
          </a>
        }
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
          <a class="button small" href={`${at}/recovery-codes`}>
            {factor.newCodes}
          </a>
          <a class="button small" href={`${at}/second-factor`}>
            {factor.otherApp}
          </a>
          <a class="button small danger" href={`${at}/second-factor/off`}>
            {factor.switchOff}
          </a>
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
  readonly actions: ComponentChildren;
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
      <div class="choices">{actions}</div>
    </li>
  );
}

function Change({ href, what }: { readonly href: string; readonly what: string }): VNode {
  return (
    <a class="button small" href={href}>
      {words.change}
      <span class="unseen"> {what}</span>
    </a>
  );
}
