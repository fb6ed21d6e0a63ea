import { event } from '../events/event.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { bySelf, type SignedIn } from './signed-in.ts';
import { longestName } from './user.ts';

/** The names of users. */
export interface Naming {
  /**
   * Trims the name. It must have 1 to 200 characters (code points). The current name changes nothing. With `seen`,
   * refuses if the name was another one when it was seen.
   */
  rename(
    me: SignedIn,
    name: string,
    seen?: string,
  ): Promise<'renamed' | Refused<'name_invalid' | 'signed_out' | 'changed_meanwhile'>>;
}

interface NamingPorts {
  readonly store: Pick<AccountStore, 'change'>;
  readonly clock: Clock;
}

export function createNaming({ store, clock }: NamingPorts): Naming {
  return {
    async rename(me, text, seen) {
      const name = text.trim();
      if (name === '' || [...name].length > longestName) {
        return refuse('name_invalid', `A name has 1 to ${longestName} characters.`);
      }
      const changed = await store.change<'signed_out' | 'changed_meanwhile'>(me.login.id, (before) => {
        if (before.suspendedAt !== null) return refuse('signed_out');
        if (before.name === name) return { after: before };
        if (seen !== undefined && before.name !== seen) return refuse('changed_meanwhile');
        const told = event('user.renamed', before.email, bySelf(me), clock.now(), { from: before.name, to: name });
        return { after: { ...before, name }, event: told };
      });
      if (changed === undefined) return refuse('signed_out');
      return isRefused(changed) ? changed : 'renamed';
    },
  };
}
