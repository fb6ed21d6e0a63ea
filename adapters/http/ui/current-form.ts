import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FormState } from './form-state.ts';

/** The form in which fields are. */
export const CurrentForm = createContext<FormState>({
  values: {},
  faults: {},
  message: undefined,
  asksPassword: false,
});

/** The form around a field: what its fields contain, and what is wrong with them. */
export function useFormState(): FormState {
  return useContext(CurrentForm);
}
