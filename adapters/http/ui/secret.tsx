import type { VNode } from 'preact';
import { texts } from './texts.ts';

/** A secret that is shown once, with a button that copies it. It may have several lines. Needs the script `copy.js` for the button. */
export function Secret({
  id,
  label,
  value,
  mostLines = Number.POSITIVE_INFINITY,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** If there are more lines, they scroll. */
  readonly mostLines?: number;
}): VNode {
  const lines = value.split('\n').length;
  const attributes = { id, class: 'code', readOnly: true, value, autocomplete: 'off', spellcheck: false } as const;
  return (
    <div class="secret">
      <label for={id}>{label}</label>
      {lines > 1 ? (
        <textarea rows={Math.min(lines, mostLines)} {...attributes} />
      ) : (
        <input type="text" {...attributes} />
      )}
      <button type="button" class="button" hidden aria-controls={id} data-copied={texts.form.copied}>
        {texts.form.copy}
      </button>
    </div>
  );
}
