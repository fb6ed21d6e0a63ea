import { lettersTo } from '../mail/letters-to.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { ApiKey } from './api-key.ts';
import type { User } from './user.ts';

type NewKey = Omit<ApiKey, 'id'>;

/** Tells the owner about a new key, so that somebody who has taken over the account cannot create one in secret. */
export function newsOfNewKey(write: WriteLetter, { id: userId, name, email }: User, key: NewKey, now: Instant): News {
  return {
    letters: lettersTo(write, { name, address: email }, { kind: 'key-made', name, key: factsOf(key) }, now),
    notices: [{ userId, notice: { kind: 'key_made', ...factsOf(key) }, createdAt: now }],
  };
}

export function newsOfRevokedKey(key: ApiKey, now: Instant): News {
  return { notices: [{ userId: key.userId, notice: { kind: 'key_revoked', ...factsOf(key) }, createdAt: now }] };
}

function factsOf({ name, prefix, lastFour }: NewKey) {
  return { name, prefix, lastFour };
}
