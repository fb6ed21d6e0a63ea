import type { ComponentChildren, VNode } from 'preact';
import { iso } from '../../../core/iso.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { day as dayLength } from '../../../core/time.ts';
import { html } from './html.ts';
import { remembered } from './remembered.ts';

const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** By the number of the day since 1970. */
const dayText = remembered((day: number) => format.format(day * dayLength));

/** Formats a day in UTC for people, such as Nov 22, 2026. */
export function readableDay(at: Instant): string {
  return dayText(Math.floor(at / dayLength));
}

/** The minute of an ISO time, such as 17:05. */
function minuteIn(exact: string): string {
  return exact.slice(-13, -8);
}

/** Formats a time in UTC for people, such as Nov 22, 2026, 17:05 UTC. */
export function readableTime(at: Instant): string {
  return `${readableDay(at)}, ${minuteIn(iso(at))} UTC`;
}

/**
 * A time in UTC. The script `local-times.js` shows it in the reader's language and time zone. The exact UTC remains as
 * its title.
 */
export function Time({ at }: { readonly at: Instant }): VNode {
  const exact = iso(at);
  return html`<time datetime="${exact}" title="${exact}">${readableDay(at)}, ${minuteIn(exact)} UTC</time>`;
}

/** The day of a time, where the hour says nothing, such as that of the next payment. The script shows it as in `Time`. */
export function Day({ at }: { readonly at: Instant }): VNode {
  const exact = iso(at);
  return html`<time datetime="${exact}" title="${exact}" data-day>${readableDay(at)}</time>`;
}

/**
 * The last day before an end, such as that of a coupon which the form asks for. The script does not change it: it is a day in UTC. An
 * end within a day is shown as a time.
 */
export function lastDay(end: Instant): ComponentChildren {
  return end % dayLength === 0 ? readableDay(end - 1) : <Time at={end} />;
}

/** The day that begins at a time, as in `lastDay`. */
export function firstDay(start: Instant): ComponentChildren {
  return start % dayLength === 0 ? readableDay(start) : <Time at={start} />;
}

/** A time, or these words if there is none. */
export function timeOr(at: Instant | null, none: string): ComponentChildren {
  return at === null ? none : <Time at={at} />;
}
