import type { VNode } from 'preact';

/** Seconds between two looks of a page that waits, in a browser without scripts. With `wait.js`, the page stays. */
const every = 8;

/** Loads the page again and again, without scripts. */
export function Waiting(): VNode {
  return (
    <noscript>
      <meta http-equiv="refresh" content={String(every)} />
    </noscript>
  );
}
