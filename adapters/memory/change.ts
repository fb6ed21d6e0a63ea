import type { Event } from '../../core/events/event.ts';
import type { ChangeById } from '../../core/ports/change.ts';
import { isRefused } from '../../core/refusal.ts';

/** Makes the `change` of a table. Every step is synchronous, so nothing comes between load and save. */
export function changeIn<Id, T>(
  table: Map<Id, T>,
  events: Event[],
  follow: (before: T, after: T, event: Event) => void = () => undefined,
): ChangeById<Id, T> {
  return async (id, decide) => {
    const before = table.get(id);
    if (before === undefined) return undefined;
    const decision = decide(before);
    if (isRefused(decision)) return decision;
    const { after, event } = decision;
    if (event === undefined) return before;
    table.set(id, after);
    events.push(event);
    follow(before, after, event);
    return after;
  };
}
