import { z } from 'zod';
import { isPlainAddress } from '../../../core/mail/mail.ts';
import { texts } from '../ui/texts.ts';

/* The fields of forms. A missing field counts as empty, because browsers do not send boxes that are not checked. */

const oneText = z.preprocess((value) => [value ?? ''].flat()[0], z.string());

/** A text that must not be blank, trimmed. `missing` is the message if it is. */
export function required(max: number, missing: string) {
  return oneText.pipe(
    z
      .string()
      .trim()
      .min(1, missing)
      .refine((value) => [...value].length <= max, texts.form.tooLong(max)),
  );
}

/** A text that may be empty, trimmed. */
export function optional(max: number) {
  return oneText.pipe(
    z
      .string()
      .trim()
      .refine((value) => [...value].length <= max, texts.form.tooLong(max)),
  );
}

/** A password, as typed. */
export const passwordText = oneText.pipe(z.string().min(1, texts.signIn.noPassword));

/** A code of an app, or a recovery code, as typed. */
export const codeText = oneText.pipe(z.string().min(1, texts.signIn.noCode));

/** An e-mail address, in lower case. */
export const emailAddress = oneText.pipe(
  z.string().trim().toLowerCase().refine(isPlainAddress, texts.signIn.notAnAddress),
);

/** A value that the page put into the form. Anybody can send another one, so the use case must check it. */
export const hiddenText = oneText;

/** The token of a link. */
export const linkToken = oneText.pipe(z.string().trim().min(1, texts.signIn.link.missing));

/** One of these values. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]], message: string) {
  return oneText.pipe(z.enum(values, { error: message }));
}

/** Several values of a list of check boxes. */
export function someOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.preprocess((value) => [value ?? []].flat(), z.array(z.enum(values)));
}

/** A text that may be missing, trimmed. */
export const optionalText = oneText.pipe(z.string().trim());

/** The hidden field of a form that is carried out only once: see `newFormId`. */
export const formId = oneText.pipe(z.uuid(texts.form.sendAgain));
