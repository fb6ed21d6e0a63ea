import type { VNode } from 'preact';
import type { Session } from '../../../../core/accounts/session.ts';
import { parseId, type SessionId, toSessionId } from '../../../../core/id.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { browserName } from '../../ui/browser-name.ts';
import { ButtonForm } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../answer.ts';
import { click } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { type AdminTools, userIn } from './admin-tools.ts';
import { addressOf } from './user-frame.tsx';

const { sessions: words } = texts.admin;
/** A program that signs in again and again may have thousands of sessions. */
const most = 50;

/** The browsers in which a user is signed in. */
export function SessionPart({
  sessions,
  address,
  current,
}: {
  readonly sessions: readonly Session[];
  /** The address of the user. */
  readonly address: string;
  /** The session of the administrator who looks. */
  readonly current: SessionId;
}): VNode {
  const columns: readonly Column<Session>[] = [
    {
      title: words.browser,
      cell: ({ id, browser }) => (
        <>
          <span class="breakable" dir="auto" title={browser}>
            {browserName(browser)}
          </span>{' '}
          {id === current && <span class="tag good">{words.isThis}</span>}
        </>
      ),
    },
    { title: words.address, cell: ({ address }) => address },
    { title: words.started, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { title: words.seen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    {
      title: words.action,
      cell: ({ id, browser }) => (
        <ButtonForm action={`${address}/sessions/${id}/end`} label={words.end} name={browserName(browser)} />
      ),
    },
  ];
  return (
    <section>
      <div class="part">
        <h2>{words.title}</h2>
        {sessions.length > 0 && <ButtonForm action={`${address}/sessions/end-all`} label={words.endAll} isDangerous />}
      </div>
      {sessions.length === 0 ? (
        <p class="intro">{words.none}</p>
      ) : (
        <List label={words.title} columns={columns} rows={sessions.slice(0, most)} keyOf={({ id }) => id} />
      )}
      {sessions.length > most && <p class="intro">{words.more(sessions.length - most)}</p>}
    </section>
  );
}

/** The buttons that end sessions of a user. */
export function endSessionButtons(tools: DashboardTools, admin: AdminTools): Endpoint[] {
  return [
    click(tools, {
      id: 'admin-end-sessions',
      path: '/admin/users/:id/sessions/end-all',
      audience: 'sessions:end',
      async act(visit) {
        const { user } = await userIn(admin, visit);
        orFail(await admin.sessions.end(user.id, 'all', actorOf(visit)));
        return goTo(addressOf(user), { notice: 'user_sessions_ended' });
      },
      refusals: {},
    }),
    click(tools, {
      id: 'admin-end-session',
      path: '/admin/users/:id/sessions/:session/end',
      audience: 'sessions:end',
      async act(visit) {
        const { user } = await userIn(admin, visit);
        const id = parseId(visit.params.session ?? '', toSessionId);
        if (id === undefined) throw new Failure('not_found');
        const ended = orFail(await admin.sessions.end(user.id, { only: id }, actorOf(visit)));
        if (ended === 0) throw new Failure('not_found');
        return goTo(addressOf(user), { notice: 'user_session_ended' });
      },
      refusals: {},
    }),
  ];
}
