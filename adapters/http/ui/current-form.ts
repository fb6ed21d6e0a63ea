import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { emptyForm, type FormState } from './form-state.ts';

/** The form in which fields are. */
export const CurrentForm = createContext<FormState>(emptyForm);

/** The form around a field: what its fields contain, and what is wrong with them. */
export function useFormState(): FormState {
  return useContext(CurrentForm);
}
