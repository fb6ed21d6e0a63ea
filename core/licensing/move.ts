import { iso } from '../iso.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { hour } from '../time.ts';
import {
  type Decided,
  movedTo,
  newActivation,
  released,
  removing,
  rowsOf,
  type Surroundings,
  validOf,
  withActivation,
  without,
} from './activations.ts';
import type { DomainName } from './domain-name.ts';
import { storedAs } from './hosts.ts';
import { type Inactive, isValidAt, type License, statusOf } from './license.ts';

/** The most hours for which both hosts of a move are valid. */
export const longestOverlap = 72;

/** A move of a license from one host to another. `from` stays valid for `overlapHours`: 0 to `longestOverlap`. */
export interface Move {
  readonly from: DomainName;
  readonly to: DomainName;
  readonly overlapHours: number;
}

/** A decided move. Has no `moved` if the same move was made before: then nothing changes. */
export interface DecidedMove extends Decided {
  readonly moved?: { readonly from: DomainName; readonly endsAt: Instant };
}

export type MoveRefused =
  | Inactive
  | 'domain_not_found'
  | 'same_domain'
  | 'domain_is_moving'
  | 'domain_already_activated'
  | 'move_limit_reached'
  | 'domain_limit_reached'
  | 'free_domain_limit_reached';

/**
 * Moves a license from one host to another. Both take one slot together. A host that is being moved to `from` ends
 * at once, so that no more than two hosts share a slot. So does `from` if `to` takes no slot. A move can be reversed by
 * another one.
 */
export function move(
  license: License,
  around: Surroundings & { readonly movesPerMonth: number },
  { from, to, overlapHours }: Move,
  now: Instant,
): DecidedMove | Refused<MoveRefused> {
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  const [leaving, ...others] = validOf(around, from, now);
  if (leaving === undefined) return refuse('domain_not_found');
  const name = storedAs(to, around.hosts);
  if (name === storedAs(from, around.hosts))
    return refuse('same_domain', `${from} and ${to} are the same domain for this product.`);
  if (leaving.endsAt !== null) {
    if (leaving.movedTo === name) return { license, domain: name };
    return refuse('domain_is_moving', `${leaving.domain} is being moved to ${leaving.movedTo}. Move that one.`);
  }
  const before = movedTo(around, leaving);
  const there = rowsOf(around, to);
  if (there.some((one) => isValidAt(one, now) && !before.includes(one)))
    return refuse('domain_already_activated', `The license is already activated on ${to}.`);
  const { month, made } = movesIn(license, now);
  if (made >= around.movesPerMonth) return refuse('move_limit_reached', tooOften(around.movesPerMonth));

  const added = newActivation(around, name, now);
  // The new host would not hold the slot, so another one could take it while the old host is still valid.
  const isSlotGone = leaving.kind === 'slot' && added.kind !== 'slot';
  const endsAt = isSlotGone ? now : now + overlapHours * hour;
  const isAtOnce = endsAt <= now;
  const gone = [...new Set([...others, ...before, ...there, ...(isAtOnce ? [leaving] : [])])];
  const left = isAtOnce ? without(license, gone) : released(without(license, gone), [leaving]);
  const after = withActivation(left, added.kind, now);
  if (isRefused(after)) return after;
  return {
    license: { ...after, moves: { month, made: made + 1 } },
    domain: name,
    ...removing(gone),
    ...(!isAtOnce && { end: { domain: leaving.domain, endsAt, movedTo: name } }),
    add: { ...added, movedFrom: isAtOnce ? null : leaving.domain },
    moved: { from: leaving.domain, endsAt },
  };
}

/** Returns the month in UTC, and how many moves of the license were made in it. */
function movesIn({ moves }: Pick<License, 'moves'>, now: Instant): { readonly month: string; readonly made: number } {
  const month = monthOf(now);
  return { month, made: moves.month === month ? moves.made : 0 };
}

/** Returns the month of a time in UTC, such as `2026-11`. */
export function monthOf(at: Instant): string {
  return iso(at).slice(0, 'yyyy-mm'.length);
}

/** Returns how often a domain of the license can still be moved this month. */
export function movesLeft(license: Pick<License, 'moves'>, movesPerMonth: number, now: Instant): number {
  return Math.max(0, movesPerMonth - movesIn(license, now).made);
}

function tooOften(movesPerMonth: number): string {
  return movesPerMonth === 0
    ? 'The domains of this product cannot be moved.'
    : `Only ${movesPerMonth} ${movesPerMonth === 1 ? 'move' : 'moves'} of a license are allowed in a month.`;
}
