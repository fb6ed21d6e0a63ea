import type { Knex } from 'knex';
import { toNotificationId, toUserId, type UserId } from '../../../core/id.ts';
import type { NewNotification, Notice, Notification } from '../../../core/notifications/notification.ts';
import type { NotificationStore, WhichNotifications } from '../../../core/ports/notification-store.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId, type Database, isPostgres } from '../database.ts';
import { forgetRows } from '../in-steps.ts';
import { type Keys, sharedRowRead } from '../shared-reads.ts';

interface NotificationRow {
  readonly id: number;
  readonly user_id: number;
  readonly kind: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: number;
  readonly read_at: number | null;
}

/** Stores notifications, in the transaction of the change that they are about. */
export async function addNotices(trx: Knex.Transaction, notices: readonly NewNotification[]): Promise<void> {
  if (notices.length > 0) await trx<NotificationRow>('notifications').insert(notices.map(toRow));
}

export function createSqlNotificationStore(database: Database): NotificationStore {
  const { read, write } = database;
  /** By the most that are counted. There is one such number in core. */
  const counts = new Map<number, (userId: string) => Promise<Unread | undefined>>();
  return {
    async list(userId, { before, limit }) {
      const rows = await read((knex) =>
        ofUser(knex, userId)
          .modify((query) => {
            if (before !== undefined) query.where('id', '<', comparableId(before));
          })
          .orderBy('id', 'desc')
          .limit(limit),
      );
      return rows.map(toNotification);
    },
    async countUnread(userId, most) {
      let unread = counts.get(most);
      if (unread === undefined) {
        unread = sharedRowRead(
          read,
          (knex, users) => unreadOf(knex, most, users),
          ({ user }) => String(user),
        );
        counts.set(most, unread);
      }
      return Number((await unread(String(userId)))?.count ?? 0);
    },
    markRead: (userId, which, at) =>
      write(async (trx) => {
        await chosen(trx, userId, which).whereNull('read_at').update({ read_at: at });
      }),
    dismiss: (userId, which) =>
      write(async (trx) => {
        await chosen(trx, userId, which).delete();
      }),
    forget: (before) =>
      forgetRows<number>(
        database,
        (knex, most) => knex<NotificationRow>('notifications').where('created_at', '<', before).limit(most).pluck('id'),
        (trx, ids) => trx<NotificationRow>('notifications').whereIn('id', ids).delete(),
      ),
  };
}

interface Unread {
  readonly user: number | string;
  readonly count: number | string;
}

/** The shape is the most that are counted. */
const unreadOf = builtOnce<number, Unread[], [Keys]>((knex, most, users) => {
  const given = isPostgres(knex) ? 'unnest(?::integer[]) AS g (value)' : 'json_each(?) AS g';
  const its = 'SELECT 1 FROM notifications AS n WHERE n.user_id = CAST(g.value AS integer) AND n.read_at IS NULL';
  return knex
    .from(knex.raw(given, [users as string]))
    .select({ user: 'g.value', count: knex.raw(`(SELECT count(*) FROM (${its} LIMIT ${most}) AS unread)`) });
});

function ofUser(knex: Knex, userId: UserId) {
  return knex<NotificationRow>('notifications').where({ user_id: userId });
}

function chosen(trx: Knex.Transaction, userId: UserId, which: WhichNotifications) {
  return 'only' in which
    ? ofUser(trx, userId).where('id', which.only)
    : ofUser(trx, userId).where('id', '<=', which.upTo);
}

function toNotification({ id, user_id, kind, data, created_at, read_at }: NotificationRow): Notification {
  return {
    id: toNotificationId(id),
    userId: toUserId(user_id),
    notice: { ...JSON.parse(data), kind } as Notice,
    createdAt: created_at,
    readAt: read_at,
  };
}

function toRow({ userId, notice, createdAt }: NewNotification): Omit<NotificationRow, 'id'> {
  const { kind, ...data } = notice;
  return { user_id: userId, kind, data: JSON.stringify(data), created_at: createdAt, read_at: null };
}
