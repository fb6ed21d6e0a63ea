import type { UserId } from '../id.ts';
import type { Notice } from '../notifications/notification.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Letter } from './letter.ts';
import { lettersTo } from './letters-to.ts';

/** The most administrators who are told of one thing. */
const mostTold = 50;

/** Returns the administrators who are told of something: those who are not suspended, at most 50. */
export async function administratorsToTell(accounts: Pick<AccountStore, 'list'>) {
  const found = await accounts.list({ role: 'admin', isSuspended: false, limit: mostTold });
  return found.map(({ user }) => user);
}

/** Returns the owner of something, or the administrators for what belongs to the site (`null`). */
export async function peopleToTell(owner: UserId | null, accounts: Pick<AccountStore, 'findById' | 'list'>) {
  if (owner === null) return await administratorsToTell(accounts);
  const one = await accounts.findById(owner);
  return one === undefined ? [] : [one];
}

/** Returns a notification for each of these people, and a mail to each of them if there is a letter. */
export function newsTo(
  people: readonly { readonly id: UserId; readonly name: string; readonly email: string }[],
  notice: Notice,
  letter: ((name: string) => Letter) | undefined,
  { write, now }: { readonly write: WriteLetter; readonly now: Instant },
): News {
  return {
    letters: letter
      ? people.flatMap(({ name, email }) => lettersTo(write, { name, address: email }, letter(name), now))
      : [],
    notices: people.map(({ id: userId }) => ({ userId, notice, createdAt: now })),
  };
}
