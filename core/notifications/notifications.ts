import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { NotificationPage, NotificationStore, WhichNotifications } from '../ports/notification-store.ts';
import { keptFor, mostCounted, type Notification } from './notification.ts';

/** The notifications of users on the pages. Nobody sees or changes the notifications of another user. */
export interface Notifications {
  /** Newest first. */
  list(userId: UserId, page: NotificationPage): Promise<Notification[]>;
  /** Counts up to `mostCounted`. Cheap enough for every page. */
  countUnread(userId: UserId): Promise<number>;
  markRead(userId: UserId, which: WhichNotifications): Promise<void>;
  /** Deletes notifications. */
  dismiss(userId: UserId, which: WhichNotifications): Promise<void>;
  /** Deletes notifications of all users after 90 days. Returns how many. */
  forgetOld(): Promise<number>;
}

interface NotificationsPorts {
  readonly store: NotificationStore;
  readonly clock: Clock;
}

export function createNotifications({ store, clock }: NotificationsPorts): Notifications {
  return {
    list: (userId, page) => store.list(userId, page),
    countUnread: (userId) => store.countUnread(userId, mostCounted),
    markRead: (userId, which) => store.markRead(userId, which, clock.now()),
    dismiss: (userId, which) => store.dismiss(userId, which),
    forgetOld: () => store.forget(clock.now() - keptFor),
  };
}
