import type { ReleaseCodeId } from '../id.ts';
import type { ReleaseCodes } from '../ports/release-codes.ts';

/** How many steps one turn makes. */
const mostSteps = 10;

/**
 * Makes the work that confirms deployments which matched no code when they were checked, and match one now: the code was
 * registered later, or its product was linked to the template later. Each turn makes some steps and goes on where the last
 * one has ended, so that however many codes there are, a turn is short. A turn returns how many were confirmed.
 */
export function createConfirmLateCodes(
  codes: Pick<ReleaseCodes, 'confirmSome'>,
): (goesOn: () => boolean) => Promise<number> {
  let after: ReleaseCodeId | undefined;
  return async (goesOn) => {
    let sum = 0;
    for (let step = 0; step < mostSteps && goesOn(); step++) {
      const { confirmed, next } = await codes.confirmSome(after);
      sum += confirmed;
      after = next;
      if (next === undefined) break;
    }
    return sum;
  };
}
