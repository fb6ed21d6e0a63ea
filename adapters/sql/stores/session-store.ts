import type { Knex } from 'knex';
import type { Session } from '../../../core/accounts/session.ts';
import { toSessionId, toUserId, type UserId } from '../../../core/id.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { Arrival, SessionStore } from '../../../core/ports/session-store.ts';
import { builtOnce } from '../built-once.ts';
import { type Database, isRowId, returned } from '../database.ts';
import { hasOneOf, type Keys, sharedRowRead } from '../shared-reads.ts';
import { record } from './audit-log.ts';
import { type LoginRow, loginColumns, toLogin } from './login-rows.ts';
import { tell } from './tell.ts';

interface SessionRow {
  readonly id: number;
  readonly user_id: number;
  readonly digest: string;
  readonly generation: number;
  readonly role: string | null;
  readonly started_at: number;
  readonly last_seen_at: number;
  readonly confirmed_at: number;
  readonly browser: string;
  readonly address: string;
}

type FoundSession = SessionRow & LoginRow;

const withDigests = builtOnce<'', FoundSession[], [Keys]>((knex, _, digests) =>
  knex('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .leftJoin('credentials as c', 'c.user_id', 'u.id')
    .where(hasOneOf(knex, 's.digest', digests))
    .select(...loginColumns, 's.*'),
);

export function createSqlSessionStore({ read, write }: Database): SessionStore {
  const withDigest = sharedRowRead(
    read,
    (knex, digests) => withDigests(knex, '', digests),
    (row: FoundSession) => row.digest,
  );
  return {
    add: (session, { startedBefore, seenBefore }, arrival) =>
      write(async (trx) => {
        await trx<SessionRow>('sessions')
          .where('started_at', '<', startedBefore)
          .orWhere('last_seen_at', '<', seenBefore)
          .delete();
        const row = returned(await trx<SessionRow>('sessions').insert(toRow(session)).returning('*'));
        const isNew = await meetBrowser(trx, session.userId, arrival, session.startedAt);
        if (isNew) await tell(trx, arrival.ifNew);
        return toSession(row);
      }),

    knows: (email, browser, since) => read((knex) => knowsBrowser(knex, email, browser, since)),

    remember: (userId, arrival, now) =>
      write(async (trx) => {
        await meetBrowser(trx, userId, arrival, now);
      }),

    async find(digest) {
      const row = await withDigest(digest);
      return row && { session: toSession(row), login: toLogin(row) };
    },

    async list(userId) {
      if (!isRowId(userId)) return [];
      const rows = await read((knex) => knex<SessionRow>('sessions').where({ user_id: userId }).orderBy('id', 'desc'));
      return rows.map(toSession);
    },

    touch: (id, at) =>
      write(async (trx) => {
        await trx<SessionRow>('sessions').where({ id }).where('last_seen_at', '<', at).update({ last_seen_at: at });
      }),

    renew: ({ id, digest }, { lastSeenAt, confirmedAt, ...after }) =>
      write(async (trx) => {
        const row = { ...after, last_seen_at: lastSeenAt, confirmed_at: confirmedAt };
        return (await trx<SessionRow>('sessions').where({ id, digest }).update(row)) > 0;
      }),

    end: (userId, which, event) =>
      write(async (trx) => {
        const ended = await trx<SessionRow>('sessions')
          .where({ user_id: userId })
          .modify((query) => {
            if (which === 'all') return;
            if ('only' in which) query.where({ id: which.only });
            else query.whereNot({ id: which.allBut });
          })
          .delete();
        if (ended > 0) await record(trx, [event]);
        return ended;
      }),
  };
}

function toSession(row: SessionRow): Session {
  return {
    id: toSessionId(row.id),
    userId: toUserId(row.user_id),
    digest: row.digest,
    generation: row.generation,
    role: row.role as Session['role'],
    startedAt: row.started_at,
    lastSeenAt: row.last_seen_at,
    confirmedAt: row.confirmed_at,
    browser: row.browser,
    address: row.address,
  };
}

function toRow(session: Omit<Session, 'id'>): Omit<SessionRow, 'id'> {
  return {
    user_id: session.userId,
    digest: session.digest,
    generation: session.generation,
    role: session.role,
    started_at: session.startedAt,
    last_seen_at: session.lastSeenAt,
    confirmed_at: session.confirmedAt,
    browser: session.browser,
    address: session.address,
  };
}

interface BrowserRow {
  readonly user_id: number;
  /** SHA-256 of the browser's token. */
  readonly digest: string;
  readonly last_seen_at: number;
}

/** Remembers a browser of a user. Returns whether it is new to the user. Forgets old browsers. */
async function meetBrowser(
  trx: Knex.Transaction,
  userId: UserId,
  { browser: digest, forgetBefore }: Omit<Arrival, 'ifNew'>,
  now: Instant,
): Promise<boolean> {
  await trx<BrowserRow>('known_browsers').where('last_seen_at', '<', forgetBefore).delete();
  const added = await trx<BrowserRow>('known_browsers')
    .insert({ user_id: userId, digest, last_seen_at: now })
    .onConflict(['user_id', 'digest'])
    .ignore()
    .returning('digest');
  if (added.length > 0) return true;
  await trx<BrowserRow>('known_browsers')
    .where({ user_id: userId, digest })
    .where('last_seen_at', '<', now)
    .update({ last_seen_at: now });
  return false;
}

/** Whether the browser is one of the user with this e-mail address, and was seen since then. */
async function knowsBrowser(knex: Knex, email: string, digest: string, since: Instant): Promise<boolean> {
  const row = await knex('known_browsers as b')
    .join('users as u', 'u.id', 'b.user_id')
    .where({ 'u.email': email, 'b.digest': digest })
    .where('b.last_seen_at', '>=', since)
    .first('b.digest');
  return row !== undefined;
}
