import type { GuardStorage, Platform } from '../platform.ts';
import { type Kept, read, write } from './kept.ts';
import { within } from './within.ts';

/** The newest answer for one key and domain: in the storage, and in the memory in case the storage fails. */
export interface Memo {
  /** Returns the kept answer with its age now. */
  look(): Promise<Kept | undefined>;
  keep(kept: Kept): Promise<void>;
}

/** How long a storage may take. */
const patience = 1000;
/** How often the time is stored, in milliseconds, so that a later reader sees that the clock was set back. */
const step = 60_000;

/** `admit` decides what counts of what was stored. */
export function createMemo(
  id: string,
  storage: GuardStorage,
  platform: Platform,
  admit: (kept: Kept) => Kept | Promise<Kept>,
): Memo {
  let kept: Kept | undefined;
  /** The last text that the storage is known to have had. Another text is from another tab. */
  let stored: string | null | undefined;
  let writtenAt = 0;
  let writes = 0;
  let [wall, ticks] = [0, 0];

  /** Returns `undefined` if the storage fails or hangs. */
  async function tried<Result>(act: () => Result | Promise<Result>): Promise<{ result: Result } | undefined> {
    const done = (async () => ({ result: await act() }))().catch(() => undefined);
    return within(platform, patience, done, () => undefined);
  }

  function remember(next: Kept): Kept {
    [wall, ticks] = [platform.now(), platform.ticks()];
    kept = next;
    return next;
  }

  async function keep(next: Kept): Promise<void> {
    remember(next);
    writtenAt = wall;
    writes++;
    const text = write(next, wall);
    if (await tried(() => storage.set(id, text))) stored = text;
  }

  /** The clock may be set back, but the ticks go on. */
  function grown(): Kept | undefined {
    if (kept === undefined) return undefined;
    const passed = platform.ticks() - ticks;
    const age = kept.age + Math.max(platform.now() - wall, passed);
    return { ...kept, age, mark: kept.mark && Math.max(platform.now(), kept.mark + passed) };
  }

  async function look(): Promise<Kept | undefined> {
    const before = writes;
    const text = (await tried(() => storage.get(id)))?.result;
    const other = text && text !== stored && before === writes ? read(text, platform.now()) : undefined;
    // A lease that did not count because of the clock may count when the clock is right again.
    const doubtful = other ?? (kept?.lease && kept.state === 'unknown' ? grown() : undefined);
    const admitted = doubtful && (await admit(doubtful));
    if (admitted && before !== writes) return look();
    if (other) stored = text;
    const aged = grown();
    const same = other && admitted && aged && admitted.checkedAt === aged.checkedAt;
    const next = admitted && same ? { ...admitted, age: Math.max(admitted.age, aged.age) } : (admitted ?? aged);
    if (next === undefined) return undefined;
    remember(next);
    if (Math.abs(wall - writtenAt) > step) await keep(next);
    return next;
  }

  return { look, keep };
}
