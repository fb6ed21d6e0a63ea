import type { CheckedFile } from '../../../../core/marketplace/checked-file.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import { Failure } from '../../failures.ts';
import type { FormState } from '../../ui/form-state.ts';
import { formWords } from '../../ui/words.ts';
import { type FileFields, largestOf } from '../../upload.ts';
import type { DashboardTools, Visit } from './page.ts';

/** The files that came with a form, by field. They are deleted after `act`, unless it has stored them. */
export type ReceivedFiles<File> = Readonly<Record<string, File | undefined>>;

/** A form that came with files. */
export interface Received<File> {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReceivedFiles<File>;
  /** The messages for its file fields. */
  readonly faults: FormState['faults'];
  /** Deletes the files that nobody has moved away. */
  discard(): Promise<void>;
}

/**
 * Reads the files of a product from these fields. A file that is too large is a fault of its field. If the form is much too long,
 * the failure says how large the files may be.
 */
export function receiving(tools: DashboardTools, files: FileFields) {
  return ({ ctx }: Visit): Promise<Received<CheckedFile>> =>
    tools.readForm(ctx, { files, readsOn: true }).catch((cause: unknown) => {
      const isTooLarge = cause instanceof Failure && cause.reason === 'payload_too_large';
      if (!isTooLarge || Object.keys(files).length === 0) throw cause;
      const limits = Object.keys(files).map((field) => limitOf(tools, files, field).text);
      throw new Failure('payload_too_large', { detail: [...limits, formWords.chooseSmaller].join(' '), cause });
    });
}

/** The limit of a field for files, for its `FileField`. */
export function limitOf<Field extends string>(
  { uploadLimits }: DashboardTools,
  files: FileFields<Field>,
  field: Field,
) {
  const { kinds, description } = files[field];
  const bytes = largestOf(uploadLimits, kinds);
  return { bytes, size: readableBytes(bytes), text: formWords.tooLarge(description, readableBytes(bytes)) };
}
