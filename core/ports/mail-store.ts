import type { Event } from '../events/event.ts';
import type { MailId } from '../id.ts';
import type { Mail, MailEntry, MailState, NewMail } from '../mail/mail.ts';
import type { ChangeById } from './change.ts';
import type { Instant } from './clock.ts';

/** Which mails to list. */
export interface MailFilter {
  readonly state?: MailState | undefined;
  /** In upper or lower case. */
  readonly address?: string | undefined;
  /** Only mails with smaller ids, for the next page. */
  readonly before?: MailId | undefined;
  readonly limit: number;
}

/** The mails of the last 30 days. */
export interface MailStore {
  /** Stores the mail with the work of sending it, which is due at once, in one transaction. */
  add(mail: NewMail, event: Event): Promise<MailId>;
  find(id: MailId): Promise<Mail | undefined>;
  /** Newest first. */
  list(filter: MailFilter): Promise<MailEntry[]>;
  /** A mail that becomes `queued` is due at once, as a new one. */
  readonly change: ChangeById<MailId, Mail>;
  /** Deletes mails that were made before a time, except queued ones. Returns how many. */
  forget(before: Instant): Promise<number>;
}
