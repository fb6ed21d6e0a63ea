import { z } from 'zod';
import { parseEntitlements } from '../../../../core/licensing/entitlements.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import { isPlainAddress } from '../../../../core/mail/mail.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import { readableNumber } from '../../ui/numbers.ts';
import { formWords } from '../../ui/words.ts';

/* The fields of forms. A missing field counts as empty, because browsers do not send boxes that are not checked. */

/** What the fields that many forms have say about what is missing or wrong. */
export const fieldWords = {
  noName: 'Enter a name.',
  noPassword: 'Enter a password.',
  noCode: 'Enter a code.',
  notAnAddress: 'Enter one e-mail address, such as ada@example.com.',
  noLink: 'Open the link again, or copy the part after # into this field.',
  choose: 'Choose an option.',
  wholeNumber: (least: number, most: number) =>
    `Enter a whole number from ${readableNumber(least)} to ${readableNumber(most)}.`,
} as const;

const oneText = z.preprocess((value) => [value ?? ''].flat()[0], z.string());

/** A text that must not be blank, trimmed. `missing` is the message if it is. */
export function required(max: number, missing: string) {
  return oneText.pipe(
    z
      .string()
      .trim()
      .min(1, missing)
      .refine((value) => [...value].length <= max, formWords.tooLong(max)),
  );
}

/** A text that may be empty, trimmed. */
export function optional(max: number) {
  return oneText.pipe(
    z
      .string()
      .trim()
      .refine((value) => [...value].length <= max, formWords.tooLong(max)),
  );
}

/** The reason for a change. It is kept in the history. */
export const reason = optional(longestReason);

/** A password, as typed. */
export const passwordText = oneText.pipe(z.string().min(1, fieldWords.noPassword));

/** A code of an app, or a recovery code, as typed. */
export const codeText = oneText.pipe(z.string().min(1, fieldWords.noCode));

/** An e-mail address, in lower case. */
export const emailAddress = oneText.pipe(
  z.string().trim().toLowerCase().refine(isPlainAddress, fieldWords.notAnAddress),
);

/** A value that the page put into the form. Anybody can send another one, so the use case must check it. */
export const hiddenText = oneText;

/** The token of a link. */
export const linkToken = oneText.pipe(z.string().trim().min(1, fieldWords.noLink));

/** One of these values. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]], message: string) {
  return oneText.pipe(z.enum(values, { error: message }));
}

/** Several values of a list of check boxes. */
export function someOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.preprocess((value) => [value ?? []].flat(), z.array(z.enum(values)));
}

/** The chosen texts of a list of check boxes whose options come from the database. */
export function textsOf(noneChosen: string) {
  return z.preprocess((value) => [value ?? []].flat(), z.array(z.string()).min(1, noneChosen));
}

/** A text that may be missing, trimmed. */
export const optionalText = oneText.pipe(z.string().trim());

/** The hidden field of a form that is carried out only once: see `newFormId`. */
export const formId = oneText.pipe(z.uuid(formWords.sendAgain));

/** The entitlements of a license: codes with blanks or commas between them. */
export const entitlements = optionalText.transform((text, context) => {
  const codes = parseEntitlements(text.split(/[\s,;]+/).filter((word) => word !== ''));
  if (!isRefused(codes)) return codes;
  context.addIssue(codes.detail ?? '');
  return z.NEVER;
});

/** A whole number, as typed in the decimal system. */
export function whole(least: number, most: number) {
  return optionalText.transform((text, context) => {
    const number = parseWholeNumber(text, least, most);
    if (number !== undefined) return number;
    context.addIssue(fieldWords.wholeNumber(least, most));
    return z.NEVER;
  });
}

/** As `whole`, or `undefined` if nothing was typed. */
export function wholeOrNothing(least: number, most: number) {
  return optionalText.transform((text, context) => {
    const number = text === '' ? undefined : parseWholeNumber(text, least, most);
    if (text !== '' && number === undefined) context.addIssue(fieldWords.wholeNumber(least, most));
    return number;
  });
}
