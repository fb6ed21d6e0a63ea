import type { VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, isGood } from '../../../../core/accounts/api-key.ts';
import type { Session } from '../../../../core/accounts/session.ts';
import type { DetailedUser } from '../../../../core/accounts/user-administration.ts';
import { parseId, type SessionId, toSessionId } from '../../../../core/id.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { browserName } from '../../ui/browser-name.ts';
import { ButtonForm } from '../../ui/form.tsx';
import { type Column, Facts, List, typed } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { listWords } from '../../ui/words.ts';
import { KeyLook, KeyTags } from '../api-keys/subject.tsx';
import { act, actAtOnce } from '../kit/act.tsx';
import { actorOf, type DashboardTools, orFail } from '../kit/page.ts';
import type { Subject, SubjectVisit } from '../kit/subject-page.tsx';
import type { UserTools } from './list.tsx';
import { keys as keyWords, sessions as sessionWords } from './words.ts';

/** The most keys on a page. An account from before the limit on keys may have very many. */
const mostKeys = 200;

/** The API keys of a user. */
export function KeyPart({
  keys,
  address,
  now,
}: {
  readonly keys: readonly ApiKey[];
  /** The address of the user. */
  readonly address: string;
  readonly now: Instant;
}): VNode {
  const columns: readonly Column<ApiKey>[] = [
    {
      title: keyWords.name,
      cell: ({ name }) => (
        <span dir="auto" class="breakable">
          {name}
        </span>
      ),
    },
    {
      title: keyWords.key,
      cell: (key) => (
        <>
          <div class="whole">
            <KeyLook apiKey={key} />
          </div>
          <KeyTags apiKey={key} now={now} />
        </>
      ),
    },
    { title: keyWords.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: keyWords.used,
      cell: ({ lastUsedAt }) => timeOr(lastUsedAt, listWords.never),
    },
    {
      title: keyWords.action,
      cell: (key) =>
        isGood(key, now) && (
          <a class="button small danger" href={`${address}/keys/${key.id}/revoke`}>
            {keyWords.revoke} <span class="unseen">{key.name}</span>
          </a>
        ),
    },
  ];
  // Keys that work come first, so that readers find them among many that have ended.
  const sorted = [...keys.filter((key) => isGood(key, now)), ...keys.filter((key) => !isGood(key, now))];
  return (
    <section>
      <PartHead title={keyWords.title} />
      {keys.length === 0 ? (
        <p class="intro">{keyWords.none}</p>
      ) : (
        <List label={keyWords.title} columns={columns} rows={sorted.slice(0, mostKeys)} />
      )}
      {sorted.length > mostKeys && <p class="intro">{keyWords.more(sorted.length - mostKeys)}</p>}
    </section>
  );
}

/** Asks before it revokes a key. */
export function revokeKeyAct(
  tools: DashboardTools,
  subject: Subject<DetailedUser>,
  { accounts }: UserTools,
): Endpoint[] {
  async function keyIn({ one, visit }: SubjectVisit<DetailedUser>): Promise<ApiKey> {
    const keys = orFail(await accounts.listKeys(String(one.user.id), actorOf(visit)));
    const key = keys.find(({ id }) => String(id) === visit.params.key);
    if (key === undefined) throw new Failure('not_found');
    return key;
  }
  return act(tools, subject, {
    id: 'admin-revoke-key',
    name: 'keys/:key/revoke',
    audience: 'users:manage',
    fields: z.object({}),
    async ask(at) {
      const key = await keyIn(at);
      return {
        title: keyWords.revokeTitle,
        submit: keyWords.revokeSubmit,
        isDangerous: true,
        lead: (
          <>
            <p class="intro">{keyWords.revokeLead}</p>
            <Facts
              facts={[
                [keyWords.name, typed(key.name)],
                [keyWords.key, <KeyLook key="key" apiKey={key} />],
                [keyWords.state, <KeyTags key="state" apiKey={key} now={tools.clock.now()} />],
              ]}
            />
          </>
        ),
      };
    },
    work: async (at) => accounts.revokeKey(String((await keyIn(at)).id), actorOf(at.visit)),
    notice: 'user_key_revoked',
    refusals: { key_ambiguous: { text: keyWords.ambiguous } },
  });
}

/** A program that signs in again and again may have thousands of sessions. */
const mostSessions = 50;

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
      title: sessionWords.browser,
      cell: ({ id, browser }) => (
        <>
          <span class="breakable" dir="auto" title={browser}>
            {browserName(browser)}
          </span>{' '}
          {id === current && <span class="tag good">{sessionWords.isThis}</span>}
        </>
      ),
    },
    { title: sessionWords.address, cell: ({ address }) => address },
    { title: sessionWords.started, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { title: sessionWords.seen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    {
      title: sessionWords.action,
      cell: ({ id, browser }) => (
        <ButtonForm action={`${address}/sessions/${id}/end`} label={sessionWords.end} name={browserName(browser)} />
      ),
    },
  ];
  return (
    <section>
      <PartHead title={sessionWords.title}>
        {sessions.length > 0 && (
          <ButtonForm action={`${address}/sessions/end-all`} label={sessionWords.endAll} look="small danger" />
        )}
      </PartHead>
      {sessions.length === 0 ? (
        <p class="intro">{sessionWords.none}</p>
      ) : (
        <List label={sessionWords.title} columns={columns} rows={sessions.slice(0, mostSessions)} />
      )}
      {sessions.length > mostSessions && <p class="intro">{sessionWords.more(sessions.length - mostSessions)}</p>}
    </section>
  );
}

/** The buttons that end sessions of a user. */
export function endSessionActs(
  tools: DashboardTools,
  subject: Subject<DetailedUser>,
  { sessions }: UserTools,
): Endpoint[] {
  return [
    actAtOnce(tools, subject, {
      id: 'admin-end-sessions',
      name: 'sessions/end-all',
      audience: 'sessions:end',
      work: ({ one: { user }, visit }) => sessions.end(user.id, 'all', actorOf(visit)),
      notice: 'user_sessions_ended',
      refusals: {},
    }),
    actAtOnce(tools, subject, {
      id: 'admin-end-session',
      name: 'sessions/:session/end',
      audience: 'sessions:end',
      async work({ one: { user }, visit }) {
        const id = parseId(visit.params.session ?? '', toSessionId);
        const ended = id === undefined ? 0 : await sessions.end(user.id, { only: id }, actorOf(visit));
        if (ended === 0) throw new Failure('not_found');
        return ended;
      },
      notice: 'user_session_ended',
      refusals: {},
    }),
  ];
}
