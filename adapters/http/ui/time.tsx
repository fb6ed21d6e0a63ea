import type { ComponentChildren, VNode } from 'preact';
import { iso } from '../../../core/iso.ts';
import type { Instant } from '../../../core/ports/clock.ts';

/**
 * A time in UTC. The script `local-times.js` shows it in the reader's language and time zone. The exact UTC remains as
 * its title.
 */
export function Time({ at }: { readonly at: Instant }): VNode {
  const exact = iso(at);
  return (
    <time datetime={exact} title={exact}>
      {exact.slice(0, 16).replace('T', ' ')} UTC
    </time>
  );
}

/** A time, or these words if there is none. */
export function timeOr(at: Instant | null, none: string): ComponentChildren {
  return at === null ? none : <Time at={at} />;
}
