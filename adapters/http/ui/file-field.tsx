import type { VNode } from 'preact';
import { described, type FieldProps, Labelled } from './form.tsx';

/**
 * A field for a file. Browsers never fill it in again, so after a refusal the person must choose the file again. With
 * `upload.js`, the chosen file stays, unless it `mustChange`: browsers do not send a file that was changed after the choice.
 */
export function FileField(
  props: FieldProps & {
    readonly accept: string;
    readonly mustChange?: boolean;
    /** The limit in bytes, and what `upload.js` says about a larger file, before it sends it. */
    readonly limit?: { readonly bytes: number; readonly text: string };
  },
): VNode {
  const { name, accept, mustChange, limit } = props;
  return (
    <Labelled {...props}>
      <input
        type="file"
        id={name}
        name={name}
        accept={accept}
        data-must-change={mustChange ? '' : undefined}
        data-most={limit?.bytes}
        data-too-large={limit?.text}
        {...described(props)}
      />
    </Labelled>
  );
}
