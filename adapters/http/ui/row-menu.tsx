import type { VNode } from 'preact';
import { ButtonLink } from './button-link.tsx';
import { Icon } from './icon.tsx';
import { listWords } from './words.ts';

/** Something that one can do with a row. */
export interface RowAct {
  readonly href: string;
  readonly text: string;
  readonly isDanger?: boolean;
}

/** What one can do with a row of a list: a button for one act, a menu for several. The menu opens without scripts too. */
export function RowMenu({
  id,
  about,
  acts,
}: {
  /** Differs from the ids of the other rows. */
  readonly id: string;
  /** The name of the row, for screen readers. */
  readonly about: string;
  readonly acts: readonly (RowAct | false)[];
}): VNode {
  const offered = acts.filter((act) => act !== false);
  const [only, ...others] = offered;
  if (others.length === 0)
    return (
      <span class="row-acts">
        {only && <ButtonLink {...only} about={about} look={only.isDanger ? 'small danger' : 'small'} />}
      </span>
    );
  return (
    <span class="row-acts">
      <button type="button" class="row-opener" popovertarget={id}>
        <Icon name="more" />
        <span class="unseen">{listWords.actsOn(about)}</span>
      </button>
      <span id={id} class="row-menu" popover="auto">
        {offered.map(({ href, text, isDanger }) => (
          <a key={href} href={href} class={isDanger ? 'danger' : undefined}>
            {text}
            <span class="unseen"> {about}</span>
          </a>
        ))}
      </span>
    </span>
  );
}
