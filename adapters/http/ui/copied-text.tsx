import type { VNode } from 'preact';
import { texts } from './texts.ts';

/** A short text such as a key, with a button that copies it. Needs the script `copy.js` for the button. */
export function CopiedText({
  id,
  text,
  href,
}: {
  /** The id of the element with the text. */
  readonly id: string;
  readonly text: string;
  /** The address that the text leads to. */
  readonly href?: string;
}): VNode {
  const code = <code id={id}>{text}</code>;
  return (
    <span class="copied">
      {href === undefined ? code : <a href={href}>{code}</a>}
      <button
        type="button"
        class="button tiny"
        hidden
        aria-controls={id}
        aria-describedby={id}
        data-copied={texts.form.copied}
      >
        {texts.form.copy}
      </button>
    </span>
  );
}
