import type { VNode } from 'preact';
import type { Session } from '../../../../core/accounts/session.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import { parseId, type SessionId, toSessionId } from '../../../../core/id.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { browserName } from '../../ui/browser-name.ts';
import { ButtonForm } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../answer.ts';
import { click } from '../form.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { entry } from './security-page.tsx';

const { sessions: words } = texts.security;
/** A person has a few browsers. A program that signs in again and again may have thousands of sessions. */
const most = 50;

/** The buttons that end sessions. */
export function sessionEndpoints(
  tools: DashboardTools,
  { end, signOut }: Pick<Sessions, 'end' | 'signOut'>,
): Endpoint[] {
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
export function SessionList({
  sessions,
  current,
  root,
}: {
  readonly sessions: readonly Session[];
  readonly current: SessionId;
  readonly root: string;
}): VNode {
  const others = sessions.filter(({ id }) => id !== current);
  const sorted = [...sessions.filter(({ id }) => id === current), ...others];
  return (
    <section>
      <div class="part">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">{words.lead}</p>
        </div>
        {others.length > 0 && <ButtonForm action={`${root}${entry}/sessions/end-others`} label={words.endOthers} />}
      </div>
      <ul class="rows panel">
        {sorted.slice(0, most).map((session) => (
          <Entry key={session.id} session={session} isThis={session.id === current} root={root} />
        ))}
      </ul>
      {sorted.length > most && <p class="lead">{words.more(sorted.length - most)}</p>}
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
          {isThis && <span class="tag good">{words.isThis}</span>}
        </h3>
        <ul class="details">
          <li>{address}</li>
          <li>
            {words.signedIn} <Time at={startedAt} />
          </li>
          <li>
            {words.lastSeen} <Time at={lastSeenAt} />
          </li>
        </ul>
      </div>
      <ButtonForm action={`${root}${entry}/sessions/${id}/end`} label={words.end} name={name} />
    </li>
  );
}
