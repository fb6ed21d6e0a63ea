import type { z } from 'zod';
import type { Abort } from '../../core/abort.ts';
import type { UserId } from '../../core/id.ts';
import type { CheckedFile, FileKind } from '../../core/marketplace/checked-file.ts';
import { readableBytes } from '../../core/marketplace/storage-quota.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { FileInspection } from '../contracts/file-inspection.ts';
import type { Pictures } from '../contracts/pictures.ts';
import { createQueues } from '../queue.ts';
import { clientGone } from './client-gone.ts';
import type { FieldErrors } from './failures.ts';
import { missing } from './fields.ts';
import { discardFiles, expectForm, type FormLimits, type Staged, stageForm, tooLarge } from './stage-form.ts';
import type { Context } from './state.ts';

/**
 * File fields with the kinds of file that each accepts. Each is required unless it `isOptional`. `missing` is the message
 * if there is no file.
 */
export type FileFields<Field extends string = string> = Readonly<
  Record<
    Field,
    {
      readonly kinds: readonly FileKind[];
      readonly description: string;
      readonly isOptional?: boolean;
      readonly missing?: string;
      /** Pages show it: it is stored in a size for pages, without what the camera wrote into it. */
      readonly isShown?: boolean;
    }
  >
>;

/** A multipart form: its text fields and its file fields. */
export interface Form<Field extends string = string> {
  readonly fields: z.ZodType;
  /** The kinds of file that each file field accepts. */
  readonly files: FileFields<Field>;
  /** If set, the form accepts a single file under any field name, and returns it under this name. */
  readonly anyFileAs?: string;
}

type Expected = Pick<Form, 'files' | 'anyFileAs'> & Pick<FormLimits, 'readsOn'>;

/**
 * Reads a multipart body. Streams the files to disk and never keeps them in memory. Throws `Unavailable` if the account
 * has too many forms that are not discarded, or too many files wait for inspection. Stops if the client disconnects,
 * and leaves nothing on the disk.
 */
export type FormReader = (
  ctx: Context,
  form: Expected,
  /** Called before reading, with the minimum total size of the files. Throws if they do not fit. */
  admit?: (bytes: number) => Promise<void>,
) => Promise<{
  readonly fields: Readonly<Record<string, unknown>>;
  /** The files, which stay in the staging folder until the request ends. */
  readonly files: Readonly<Record<string, CheckedFile>>;
  /** SHA-256 of each file. */
  readonly digests: Readonly<Record<string, string>>;
  /** The errors of the files, by field. */
  readonly faults: FieldErrors;
  /** Deletes the files that nobody has moved away, and frees the place of the form. Always call it. */
  discard(): Promise<void>;
}>;

/** Limits in bytes. */
export interface UploadLimits {
  readonly zip: number;
  readonly image: number;
  /** Why they are so small, if they are. */
  readonly why?: string;
}

/** The largest number of bytes of a file of one of these kinds. */
export function largestOf(limits: Omit<UploadLimits, 'why'>, kinds: readonly FileKind[]): number {
  return Math.max(...kinds.map((kind) => limits[limitOf[kind]]));
}

/** The limit of each kind of file. */
const limitOf = { zip: 'zip', png: 'image', jpg: 'image' } as const satisfies Record<FileKind, 'zip' | 'image'>;

/**
 * The forms of one account whose files a process can have in the staging folder. Another form is refused before it is
 * read, so uploads that an account does not finish use a limited part of the disk.
 */
const formsOfAccount = 21;

/** One form of each account is inspected at a time, so that no account can fill the shared queue. */
const inspections = { atOnce: 1, waiting: formsOfAccount - 1 };

/** `staging` is the folder for incoming files. It must be on the file system of the stored files. */
export function createFormReader(
  staging: string,
  inspection: FileInspection,
  limits: UploadLimits,
  pictures: Pick<Pictures, 'renew'>,
): FormReader {
  const permits = createPermits<UserId | undefined>(formsOfAccount);
  const inTurn = createQueues<UserId | undefined>(inspections);
  return async (ctx, form, admit) => {
    const account = ctx.state.caller?.user.id ?? ctx.state.me?.login.id;
    const allowed = limitsOf(form);
    const least = expectForm(ctx, allowed);
    if (least > 0) await admit?.(least);
    const returnPermit = permits.take(account);
    if (returnPermit === undefined)
      throw new Unavailable('The account sends too many forms with files at the same time.');
    let staged: readonly Staged[] = [];
    const discard = () =>
      discardFiles(
        staged.map(({ path }) => path),
        returnPermit,
      );
    try {
      const body = await stageForm(ctx, staging, allowed);
      staged = body.staged;
      const gone = clientGone(ctx.req.socket);
      const { files, digests, faults } = await inTurn(account, () => check(form, staged, String(account), gone), gone);
      gone.throwIfAborted();
      return { fields: body.fields, files, digests, faults, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  };

  function limitsOf(form: Expected): FormLimits {
    const fields = Object.keys(form.files);
    return {
      total: fields.reduce((sum, field) => sum + largest(form, field), 0),
      files: fields.length,
      largest: (field) => largest(form, field),
      readsOn: form.readsOn,
      why: limits.why,
    };
  }

  function largest(form: Expected, field: string): number {
    const kinds = form.files[form.anyFileAs ?? field]?.kinds;
    // A file in a field that accepts no file is refused later, after the whole body is read.
    return kinds === undefined ? limits.image : largestOf(limits, kinds);
  }

  async function check(form: Expected, staged: readonly Staged[], account: string, gone: Abort) {
    const files: Record<string, CheckedFile> = {};
    const digests: Record<string, string> = {};
    // Without a prototype: clients choose the names of fields, and may choose `constructor`.
    const faults: Record<string, string[]> = Object.create(null);
    for (const { fieldname, path, size, sha256, isTooLarge } of staged) {
      const field = form.anyFileAs ?? fieldname;
      const kinds = form.files[field]?.kinds;
      const fault = (text: string) => {
        faults[field] = [...(faults[field] ?? []), text];
      };
      if (kinds === undefined) fault('It takes no file.');
      else if (field in digests) fault('It takes one file only.');
      else {
        digests[field] = sha256;
        if (isTooLarge) {
          fault(tooLargeFor(largest(form, field), limits.why));
          continue;
        }
        const found = await inspection.inspect(path, gone);
        if (found.kind === 'unusable') fault(found.why);
        else if (!kinds.includes(found.kind))
          fault(`It must be ${kinds.map((kind) => kind.toUpperCase()).join(' or ')}.`);
        else if (size > limits[limitOf[found.kind]]) {
          if (!form.readsOn) throw tooLarge(field, limits[limitOf[found.kind]], limits.why);
          fault(tooLargeFor(limits[limitOf[found.kind]], limits.why));
        } else {
          const renewed =
            found.kind === 'zip' || form.files[field]?.isShown !== true
              ? undefined
              : await pictures.renew(path, found.kind, account, gone);
          if (renewed && 'fault' in renewed) fault(renewed.fault);
          else {
            const shape = found.kind === 'zip' ? undefined : { width: found.width, height: found.height };
            files[field] = { path, kind: found.kind, size: renewed?.size ?? size, ...(shape && { shape }) };
          }
        }
      }
    }
    for (const [field, { isOptional = false, missing: text = missing }] of Object.entries(form.files)) {
      if (!isOptional && !(field in digests) && !(field in faults)) faults[field] = [text];
    }
    return { files, digests, faults };
  }
}

function tooLargeFor(limit: number, why = ''): string {
  return `The file may have at most ${readableBytes(limit)}. ${why}`.trim();
}

/** A number of permits for each key. A key without a taken permit uses no memory. */
interface Permits<Key> {
  /** Takes a permit, and returns the function that frees it. Returns `undefined` if all permits of the key are taken. */
  take(key: Key): (() => void) | undefined;
}

/** Each key has this many permits. */
export function createPermits<Key>(most: number): Permits<Key> {
  const taken = new Map<Key, number>();
  return {
    take(key) {
      const before = taken.get(key) ?? 0;
      if (before >= most) return undefined;
      taken.set(key, before + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}
