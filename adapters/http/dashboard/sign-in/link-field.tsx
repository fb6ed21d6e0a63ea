import type { VNode } from 'preact';
import { TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { texts } from '../../ui/texts.ts';

/** The token of a link. The script `link-token.js` fills it in and hides it. */
export function LinkField({ state }: { readonly state: FormState }): VNode {
  const { label, hint } = texts.signIn.link;
  return <TextField state={state} name="token" label={label} hint={hint} isCode />;
}
