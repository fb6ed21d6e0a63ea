import type { Refused } from '../../../core/refusal.ts';
import { formWords } from './words.ts';

/** The values of the fields of a form, by name. A field with several choices has a list of values. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** A form as it is shown: what the fields contain, and what is wrong with them. */
export interface FormState {
  readonly values: FormValues;
  /** The messages for each field. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** A message that belongs to no field. */
  readonly message: string | undefined;
  /** Whether the form asks for the password again. */
  readonly asksPassword: boolean;
  /** The id of the person to whom the form is shown, if somebody is signed in. */
  readonly owner?: string | undefined;
  /** What the fields contained when the form was opened, as digests. Only in forms that change something. */
  readonly seen?: string | undefined;
}

/** The name of the field that says to whom the form was shown. */
export const ownerField = 'signed_in_as';

/** The name of the field with what the form showed when it was opened. */
export const seenField = 'seen_values';

/** The name of the field for the current password, in forms that ask for it again. */
export const passwordField = 'current_password';

/** A form before anybody has typed. */
export const emptyForm: FormState = { values: {}, faults: {}, message: undefined, asksPassword: false };

export function textOf({ values }: Pick<FormState, 'values'>, name: string): string {
  return [values[name] ?? ''].flat()[0] ?? '';
}

export function choicesOf({ values }: Pick<FormState, 'values'>, name: string): readonly string[] {
  return [values[name] ?? []].flat();
}

export function tooManyAttempts({ figures }: Refused): string {
  return formWords.tooMany(Math.ceil((figures?.retry_after ?? 60) / 60));
}
