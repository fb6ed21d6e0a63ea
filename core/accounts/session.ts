import type { SessionId, UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { day, minute } from '../time.ts';
import type { Login } from './login.ts';

/** A session ends `idle` after its last use, and at the latest `absolute` after sign-in, in milliseconds. */
export const sessionLife = { idle: 14 * day, absolute: 90 * day } as const;
/** The precision of `lastSeenAt`, in milliseconds. It is written at most once in this time. */
export const lastSeenPrecision = 5 * minute;
/** How long sensitive changes are possible after the password was entered, in milliseconds. */
export const confirmationLife = 15 * minute;

/** A browser in which a user is signed in. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
  /** Generation and role of the user when the token was made. If they change, the session ends. */
  readonly generation: number;
  readonly role: Login['role'];
  readonly startedAt: Instant;
  /** Precise to `lastSeenPrecision`. Never later than the last use. */
  readonly lastSeenAt: Instant;
  /** When the password was last entered. */
  readonly confirmedAt: Instant;
  /** For the list of sessions: what the browser says that it is, and the address that it signed in from. */
  readonly browser: string;
  readonly address: string;
}

/** Whether the session still signs its user in. */
export function isAlive(session: Session, login: Login, now: Instant): boolean {
  const isCurrent = session.generation === login.generation && session.role === login.role;
  return isCurrent && login.suspendedAt === null && now < endOf(session);
}

/** Returns the instant from which on the session is not valid, if it is not used before. */
function endOf({ startedAt, lastSeenAt }: Pick<Session, 'startedAt' | 'lastSeenAt'>): Instant {
  return Math.min(startedAt + sessionLife.absolute, lastSeenAt + sessionLife.idle);
}

export function isRecentlyConfirmed({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Instant): boolean {
  return now < confirmedAt + confirmationLife;
}
