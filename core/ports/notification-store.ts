import type { NotificationId, UserId } from '../id.ts';
import type { Notification } from '../notifications/notification.ts';
import type { Instant } from './clock.ts';

export interface NotificationPage {
  /** Only notifications with smaller ids, for the next page. */
  readonly before?: NotificationId | undefined;
  readonly limit: number;
}

/** One notification, or all up to the newest one that the user was shown. Newer ones stay as they are. */
export type WhichNotifications = { readonly only: NotificationId } | { readonly upTo: NotificationId };

/**
 * The notifications of users. They are added as news of changes. Each call but `forget` reads and writes only those of
 * one user.
 */
export interface NotificationStore {
  /** Newest first. */
  list(userId: UserId, page: NotificationPage): Promise<Notification[]>;
  /** Counts up to `most`. */
  countUnread(userId: UserId, most: number): Promise<number>;
  /** Sets the time of reading of those that are unread. */
  markRead(userId: UserId, which: WhichNotifications, at: Instant): Promise<void>;
  /** Deletes them. */
  dismiss(userId: UserId, which: WhichNotifications): Promise<void>;
  /** Deletes the notifications of all users that were made before a time. Returns how many. */
  forget(before: Instant): Promise<number>;
}
