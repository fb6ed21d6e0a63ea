import type { Clock, Instant } from '../ports/clock.ts';
import type { FoundAlias, LicenseAliases } from '../ports/license-aliases.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { leadsAt } from './alias.ts';
import { hasValidCheckCharacter, keyHint, type LicenseKey, parseLicenseKey } from './license-key.ts';

/** A key that a caller asked for. */
export interface AskedKey {
  /** The present key of the license. */
  readonly key: LicenseKey;
  /** What the answer shows: the key that was asked for, in canonical form if it is one of ours. */
  readonly shown: string;
  /** Absent if the caller asked for the license key itself. */
  readonly alias?: FoundAlias;
  /** Whether the key that was asked for no longer leads to the license. */
  hasEnded(now: Instant): boolean;
}

/** Work on a license. It refuses a key that no license has with `invalid_key`. */
type Work<T> = (asked: AskedKey) => Promise<T>;

export interface KeyLookup {
  /**
   * Runs the work with the license to which a text leads: first as the key of a license, which costs nothing more, and only
   * if there is none, as an alias.
   */
  withKey<T extends object>(text: string, work: Work<T>): Promise<T | Refused<'invalid_key'>>;
  /** The second half of it. `own`: the text as a key that no license has. */
  byAlias<T extends object>(
    text: string,
    own: LicenseKey | undefined,
    work: Work<T>,
  ): Promise<T | Refused<'invalid_key'>>;
}

export function createKeyLookup(aliases: Pick<LicenseAliases, 'find'>, clock: Clock): KeyLookup {
  const byAlias: KeyLookup['byAlias'] = async (text, own, work) => {
    let tried: LicenseKey | undefined;
    for (;;) {
      const alias = await aliases.find(text);
      // One that has ended costs what an unknown one costs, so that its time does not tell that it was one.
      if (alias === undefined || alias.license === tried || !leadsAt(alias, clock.now())) return unknownKey(own);
      const shown = own ?? text.trim();
      const done = await work({ key: alias.license, shown, alias, hasEnded: (now) => !leadsAt(alias, now) });
      if (!isUnknown(done)) return done;
      // The license has got another key meanwhile, or the alias has ended.
      tried = alias.license;
    }
  };
  return {
    byAlias,
    async withKey(text, work) {
      const own = parseLicenseKey(text);
      if (own !== undefined) {
        const done = await work({ key: own, shown: own, hasEnded: () => false });
        if (!isUnknown(done)) return done;
      }
      return await byAlias(text, own, work);
    },
  };
}

/** Whether the work found no license. */
export function isUnknown(done: object): boolean {
  return isRefused(done) && done.reason === 'invalid_key';
}

/** The message explains whether the key is malformed, mistyped or just unknown. */
function unknownKey(key: LicenseKey | undefined): Refused<'invalid_key'> {
  if (key === undefined) return refuse('invalid_key', keyHint);
  if (hasValidCheckCharacter(key)) return refuse('invalid_key');
  return refuse(
    'invalid_key',
    'No license has this key. Its check character is wrong, so the key was probably mistyped.',
  );
}
