import type { Cost } from './cost.ts';
import { mostNoise } from './noise.ts';

/** What a call cost in two versions, each in proportion to the bare route of the same run. So the machines may differ. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  /** `now`, divided by `before`. */
  readonly ratio: number;
  readonly verdict: 'SLOWER' | 'faster' | 'as before' | 'noisy';
}

/** A smaller change is not told from chance. */
const fifth = 1.2;

/** Compares the calls that both versions have, except the bare route. */
export function changesOf(before: readonly Cost[], now: readonly Cost[]): readonly Change[] {
  const former = new Map(before.map((cost) => [cost.name, cost]));
  return now.flatMap((cost) => {
    const other = former.get(cost.name);
    if (other === undefined || cost.main === cost.bare) return [];
    const [then, after] = [other.main / other.bare, cost.main / cost.bare];
    const ratio = after / then;
    const isNoisy = [other, cost].some(({ noise }) => noise !== undefined && noise.others > mostNoise);
    const verdict = isNoisy ? 'noisy' : ratio >= fifth ? 'SLOWER' : ratio <= 1 / fifth ? 'faster' : 'as before';
    return [{ name: cost.name, before: then, now: after, ratio, verdict }];
  });
}
