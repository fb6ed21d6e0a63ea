import type { VNode } from 'preact';
import { z } from 'zod';
import { maxDomainsLimit } from '../../../../../core/licensing/license.ts';
import { type LicenseNotes, noteLimits } from '../../../../../core/licensing/license-notes.ts';
import { longestReason } from '../../../../../core/licensing/transitions.ts';
import { isPlainAddress } from '../../../../../core/mail/mail.ts';
import { AreaField, TextField } from '../../../ui/form.tsx';
import type { FormState, FormValues } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { optional, optionalText } from '../../fields.ts';
import { readMetadata, writeMetadata } from './metadata-lines.ts';

const { fields: words } = texts.sellingLicenses;

/** The reason for a change. It is kept in the history. */
export const reason = optional(longestReason);

/** A whole number, or `undefined` if nothing was typed. */
export function wholeNumber(least: number, most: number) {
  return optionalText.transform((text, context) => {
    if (text === '') return undefined;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    context.addIssue(words.wholeNumber(least, most));
    return z.NEVER;
  });
}

const metadata = optionalText.transform((lines, context) => {
  const read = readMetadata(lines);
  if (typeof read !== 'string') return read;
  context.addIssue(read);
  return z.NEVER;
});

/** The schemas of the fields about a license that sellers fill in. */
export const noteFields = {
  max_domains: wholeNumber(1, maxDomainsLimit),
  email: optional(noteLimits.email).refine((text) => text === '' || isPlainAddress(text), texts.signIn.notAnAddress),
  name: optional(noteLimits.name),
  reference: optional(noteLimits.reference),
  metadata,
};

/** Returns the values of the form as notes. */
export function notesOf(typed: {
  readonly email: string;
  readonly name: string;
  readonly reference: string;
  readonly metadata: LicenseNotes['metadata'];
}): LicenseNotes {
  const { email, name, reference } = typed;
  return {
    holder: email === '' && name === '' ? null : { email: email || null, name: name || null },
    reference: reference || null,
    metadata: typed.metadata,
  };
}

/** The fields as they are filled in for these notes. */
export function valuesOf({ holder, reference, metadata }: LicenseNotes): FormValues {
  return {
    email: holder?.email ?? '',
    name: holder?.name ?? '',
    reference: reference ?? '',
    metadata: writeMetadata(metadata),
  };
}

export function NoteFields({ state }: { readonly state: FormState }): VNode {
  return (
    <>
      <TextField state={state} name="name" label={words.name} />
      <TextField state={state} name="email" type="email" label={words.email} hint={words.emailHint} />
      <TextField state={state} name="reference" label={words.reference} hint={words.referenceHint} />
      <AreaField state={state} name="metadata" label={words.metadata} hint={words.metadataHint} rows={4} isCode />
    </>
  );
}

export function ReasonField({ state }: { readonly state: FormState }): VNode {
  return <TextField state={state} name="reason" label={words.reason} hint={words.reasonHint} />;
}
