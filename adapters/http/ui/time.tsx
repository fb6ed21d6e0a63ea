import type { ComponentChildren, VNode } from 'preact';
import { iso } from '../../../core/iso.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { html } from './html.ts';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' });

/** Formats a day in UTC for people, such as Nov 22, 2026. */
export function readableDay(at: Instant): string {
  return day.format(at);
}

/** Formats a time in UTC for people, such as Nov 22, 2026, 17:05 UTC. */
export function readableTime(at: Instant): string {
  return `${day.format(at)}, ${minute.format(at)} UTC`;
}

/**
 * A time in UTC. The script `local-times.js` shows it in the reader's language and time zone. The exact UTC remains as
 * its title.
 */
export function Time({ at }: { readonly at: Instant }): VNode {
  const exact = iso(at);
  return html`<time datetime="${exact}" title="${exact}">${readableTime(at)}</time>`;
}

/** The day of a time, where the hour says nothing, such as that of the next payment. The script shows it as in `Time`. */
export function Day({ at }: { readonly at: Instant }): VNode {
  const exact = iso(at);
  return html`<time datetime="${exact}" title="${exact}" data-day>${readableDay(at)}</time>`;
}

/** A time, or these words if there is none. */
export function timeOr(at: Instant | null, none: string): ComponentChildren {
  return at === null ? none : <Time at={at} />;
}
