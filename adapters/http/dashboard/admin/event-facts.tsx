import type { ComponentChildren, VNode } from 'preact';
import type { Event } from '../../../../core/events/event.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';

const { events: words, audit } = texts.admin;

/** The largest time that a date can have, in milliseconds. */
const latest = 8.64e15;

/** The data of an event, and the reason if somebody gave one. */
export function EventFacts({ event: { data, reason } }: { readonly event: Event }): VNode | null {
  const facts = Object.entries(data).map(([name, value]) => [nameOf(name), factOf(name, value)] as const);
  const all = reason === null ? facts : [...facts, [audit.reason, reason] as const];
  if (all.length === 0) return null;
  return (
    <ul class="event-facts">
      {all.map(([name, value]) => (
        <li key={name}>
          <span class="faint">{name}:</span> <span dir="auto">{value}</span>
        </li>
      ))}
    </ul>
  );
}

function nameOf(name: string): string {
  if (Object.hasOwn(words.facts, name)) return words.facts[name] ?? name;
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names that end with `_at` are those of times. */
function factOf(name: string, value: Event['data'][string]): ComponentChildren {
  if (value === null) return Object.hasOwn(words.nothingOf, name) ? words.nothingOf[name] : words.nothing;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number' && name.endsWith('_at') && Math.abs(value) <= latest) return <Time at={value} />;
  return String(value);
}
