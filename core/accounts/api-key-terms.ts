import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { KeyMode } from './api-key.ts';
import type { Scopes } from './scope.ts';
import { isOfSandbox, type User } from './user.ts';

/** The terms of a new API key. */
export interface KeyTerms {
  readonly name: string;
  readonly mode: KeyMode;
  readonly scopes: Scopes;
  readonly expiresAt: Instant | null;
}

/** The largest number of working keys of an account: keys that are neither revoked nor expired. */
export const mostKeys = 100;
/** Lists of keys contain this number of keys that have ended. Somebody who rotates keys all the time has thousands. */
export const mostEndedKeys = 100;
/** The largest number of characters in the name of a key. */
export const longestKeyName = 100;

export type TermsRefusal = 'invalid_name' | 'no_scopes' | 'expiry_passed' | 'test_only';

/** Refuses terms that a person may not choose for their own account. The name must be trimmed. */
export function wrongTerms(
  { name, mode, scopes, expiresAt }: KeyTerms,
  owner: Pick<User, 'sandboxUntil'>,
  now: Instant,
): undefined | Refused<TermsRefusal> {
  const live = refusingLive(mode, owner);
  if (live) return live;
  if (!isName(name)) return refuse('invalid_name', `The name must have 1 to ${longestKeyName} characters.`);
  if (scopes?.length === 0) return refuse('no_scopes', 'The key needs at least one scope.');
  if (expiresAt !== null && !(expiresAt > now)) return refuse('expiry_passed', 'The key must expire in the future.');
  return undefined;
}

/** Refuses live keys of an account of the sandbox, whoever makes them. */
export function refusingLive(mode: KeyMode, owner: Pick<User, 'sandboxUntil'>): undefined | Refused<'test_only'> {
  if (mode === 'test' || !isOfSandbox(owner)) return undefined;
  return refuse(
    'test_only',
    'An account of the sandbox has API keys for test data only. Choose test, or `latchkey login --test`.',
  );
}

function isName(text: string): boolean {
  const { length } = [...text];
  return length > 0 && length <= longestKeyName && text === text.trim() && !/\p{Control}/u.test(text);
}

/** Refuses a change if `working`, the number of working keys after it, is too large. */
export function tooMany(working: number): undefined | Refused<'too_many_keys'> {
  if (working <= mostKeys) return undefined;
  return refuse('too_many_keys', `An account can have at most ${mostKeys} API keys. Revoke one that is not used.`);
}
