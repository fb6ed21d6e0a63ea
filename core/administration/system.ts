import { type Actor, needing } from '../accounts/role.ts';
import type { ReadSystem, SystemReport } from '../ports/system-facts.ts';
import type { Refused } from '../refusal.ts';

/** The state of the system. Needs `system:read`. */
export type ShowSystem = (actor: Actor) => Promise<SystemReport | Refused<'forbidden'>>;

export function createShowSystem(read: ReadSystem): ShowSystem {
  return async (actor) => needing(actor, 'system:read') ?? (await read());
}
