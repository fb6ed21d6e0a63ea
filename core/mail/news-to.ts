import type { UserId } from '../id.ts';
import type { Notice } from '../notifications/notification.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Letter } from './letter.ts';
import { lettersTo } from './letters-to.ts';

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
