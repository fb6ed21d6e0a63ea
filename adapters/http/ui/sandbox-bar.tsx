import type { VNode } from 'preact';
import type { Instant } from '../../../core/ports/clock.ts';
import { Time } from './time.tsx';
import { sandboxWords } from './words.ts';

/** The address of the part of the guide for visitors of a sandbox, from the site's first page. */
export const sandboxGuide = 'docs/selling#in-a-sandbox';

/** Says below the header of each page when this account of a sandbox is deleted. Nothing for other accounts. */
export function SandboxBar({
  root,
  until,
}: {
  readonly root: string;
  readonly until: Instant | undefined;
}): VNode | null {
  if (until === undefined) return null;
  const { sandbox, deleted, off } = sandboxWords;
  return (
    <aside class="sandbox-bar" aria-label={sandbox}>
      <p>
        <strong>{sandbox}</strong> · {deleted} <Time at={until} /> · <a href={`${root}${sandboxGuide}`}>{off}</a>
      </p>
    </aside>
  );
}
