import type { VNode } from 'preact';
import { html } from './html.ts';
import { Icon } from './icon.tsx';
import { formWords } from './words.ts';

/** A short text such as a key, with a button that copies it. The script `copy.js` adds the button from `CopyButton`. */
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
  const code = html`<code id="${id}">${text}</code>`;
  return html`<span class="copied">${href === undefined ? code : html`<a href="${href}">${code}</a>`}</span>`;
}

/** The button beside each `CopiedText` of a page, once. Without the script it would do nothing. */
export function CopyButton(): VNode {
  return (
    <template id="copy-button">
      <button type="button" class="button tiny" data-copied={formWords.copied} title={formWords.copy}>
        <Icon name="copy" />
        <span class="unseen">{formWords.copy}</span>
      </button>
    </template>
  );
}

/** A secret that is shown once, with a button that copies it. It may have several lines. Needs the script `copy.js` for the button. */
export function Secret({
  id,
  label,
  value,
  mostLines = Number.POSITIVE_INFINITY,
  wraps = false,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** If there are more lines, they scroll. */
  readonly mostLines?: number;
  /** Long lines wrap, so that all of the text can be read. */
  readonly wraps?: boolean;
}): VNode {
  const lines = value.split('\n').length;
  const look = wraps ? 'code wrapped' : 'code';
  const attributes = { id, class: look, readOnly: true, value, autocomplete: 'off', spellcheck: false } as const;
  return (
    <div class="secret">
      <label for={id}>{label}</label>
      {lines > 1 || wraps ? (
        <textarea rows={Math.min(wraps ? lines + 1 : lines, mostLines)} {...attributes} />
      ) : (
        <input type="text" {...attributes} />
      )}
      <button type="button" class="button" hidden aria-controls={id} data-copied={formWords.copied}>
        {formWords.copy}
      </button>
    </div>
  );
}
