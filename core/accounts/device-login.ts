import type { Event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day, minute } from '../time.ts';
import type { KeyMode } from './api-key.ts';
import type { Scopes } from './scope.ts';

/** How long a person has to approve a program, in milliseconds. */
export const deviceLoginLife = 10 * minute;
/** How long the key of an approved program works, in milliseconds. */
export const deviceKeyLife = 90 * day;
/** The seconds between two questions of a program, at first and in addition after each one that came too early (RFC 8628, 3.5). */
export const pollInterval = 5;

/** The answer of the person. `waiting`: not answered yet. */
export type DeviceAnswer =
  | { readonly kind: 'waiting' | 'denied' }
  | {
      readonly kind: 'approved';
      readonly userId: UserId;
      /** That of the user when they answered. A key is made only if nothing has raised it since. */
      readonly generation: number;
      readonly keyName: string;
    };

/** A program that asks for an API key, and the answer of the person who uses it (RFC 8628). */
export interface DeviceLogin {
  /** SHA-256 of the code that the program keeps, in hexadecimal. */
  readonly digest: string;
  /** SHA-256 of the code that the person types, in hexadecimal. */
  readonly userDigest: string;
  /** The name that the program gives itself. */
  readonly clientName: string;
  /** Where the program called from. */
  readonly address: string;
  readonly mode: KeyMode;
  readonly scopes: Scopes;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** The seconds that the program must wait between two questions. */
  readonly interval: number;
  readonly polledAt: Instant | null;
  readonly answer: DeviceAnswer;
}

/** A decision about a login, and the result for the caller. `same` writes nothing. */
export interface DeviceDecision<Result> {
  readonly after: DeviceLogin | 'same' | 'removed';
  readonly event?: Event;
  readonly result: Result;
}

/** 20 letters without vowels, so that no word comes up, and without letters that look like digits (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** Returns a code for a person: eight random letters, about 34 bits, such as `WDJB-MJHT`. */
export function mintUserCode(secrets: Pick<Secrets, 'bytes'>): string {
  let code = '';
  while (code.length < codeLength) {
    // The largest multiple of 20 in a byte is 240. Without the limit, some letters would come more often.
    for (const byte of secrets.bytes(codeLength)) {
      if (byte < 240 && code.length < codeLength) code += letters[byte % letters.length];
    }
  }
  return readableUserCode(code);
}

/** Returns the code as it is shown, or `undefined` if no code looks like this. Ignores case, blanks and hyphens. */
export function parseUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s\p{Dash}]/gu, '');
  return new RegExp(`^[${letters}]{${codeLength}}$`).test(code) ? readableUserCode(code) : undefined;
}

function readableUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

export type PollRefusal = 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token';
export type Approved = Extract<DeviceAnswer, { kind: 'approved' }>;

/** Decides the response to a program that polls. An answer is given once: the login is then removed. */
export function poll(login: DeviceLogin, now: Instant): DeviceDecision<Approved | Refused<PollRefusal>> {
  if (now >= login.expiresAt) return { after: 'removed', result: expiredToken() };
  const { answer, interval, polledAt } = login;
  if (polledAt !== null && now < polledAt + interval * 1000) {
    const slower = interval + pollInterval;
    const detail = `This came too early. From now on, wait ${slower} seconds between two calls.`;
    return {
      after: { ...login, polledAt: now, interval: slower },
      result: refuse('slow_down', detail, { interval: slower }),
    };
  }
  switch (answer.kind) {
    case 'waiting':
      return { after: { ...login, polledAt: now }, result: refuse('authorization_pending') };
    case 'denied':
      return { after: 'removed', result: refuse('access_denied') };
    case 'approved':
      return { after: 'removed', result: answer };
  }
}

export function expiredToken(): Refused<'expired_token'> {
  return refuse('expired_token');
}

/** Whether a person can answer now. Each login is answered once. */
export function isWaiting({ expiresAt, answer }: DeviceLogin, now: Instant): boolean {
  return now < expiresAt && answer.kind === 'waiting';
}
