import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { CurrentForm, useFormState } from './current-form.ts';
import type { FormState } from './form-state.ts';
import { formWords } from './words.ts';

/** The messages of a form, each with a link to its field. */
export function Faults({ fields }: { readonly fields: ComponentChildren }): VNode | null {
  const state = useFormState();
  const { faults, message } = state;
  const all = Object.keys(faults).length > 1 ? inOrder(faults, fields, state) : Object.entries(faults);
  if (all.length === 0 && message === undefined) return null;
  return (
    <div class="faults" role="alert">
      {message === undefined ? <strong>{formWords.faults(all.length)}</strong> : <p>{message}</p>}
      {all.length > 0 && (
        <ul>
          {all.map(([name, [first]]) => (
            <li key={name}>
              <a href={`#${name}`}>{first}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The messages in the order of their fields in the form. Those of no field come last. */
function inOrder(faults: FormState['faults'], fields: ComponentChildren, state: FormState) {
  const html = renderToString(<CurrentForm.Provider value={state}>{fields}</CurrentForm.Provider>);
  const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id);
  const placeOf = (name: string) => (ids.includes(name) ? ids.indexOf(name) : ids.length);
  return Object.entries(faults).sort(([one], [other]) => placeOf(one) - placeOf(other));
}
