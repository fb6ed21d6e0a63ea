import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageEngine } from '@koa/multer';
import type { MulterError } from 'multer';
import type { z } from 'zod';
import type { Abort } from '../../core/abort.ts';
import type { UserId } from '../../core/id.ts';
import type { CheckedFile, FileKind } from '../../core/marketplace/checked-file.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { FileInspection } from '../file-inspection.ts';
import { createQueues } from '../queue.ts';
import { isDiskOutage } from '../system-error.ts';
import { clientGone } from './client-gone.ts';
import { Failure, type FieldErrors } from './failures.ts';
import { missing } from './fields.ts';
import { feedUpTo, formTooLarge, tooLong, tooManyFiles } from './form-feed.ts';
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

type Expected = Pick<Form, 'files' | 'anyFileAs'>;

/**
 * Reads a multipart body. Streams the files to disk and never keeps them in memory. Throws `Unavailable` if too many
 * forms wait for the inspection of their files. Stops if the client disconnects, and leaves nothing on the disk.
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
  /** Deletes the files that nobody has moved away. */
  discard(): Promise<void>;
}>;

/** Limits in bytes. */
export interface UploadLimits {
  readonly zip: number;
  readonly image: number;
}

/** The limit of each kind of file. */
const limitOf = { zip: 'zip', png: 'image', jpg: 'image' } as const satisfies Record<FileKind, keyof UploadLimits>;

interface Staged {
  readonly fieldname: string;
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Only one form of each account is inspected at a time, so that no account can fill the shared queue. The other files
 * wait on the disk.
 */
const perAccount = { atOnce: 1, waiting: 20 };

/** `staging` is the folder for incoming files. It must be on the file system of the stored files. */
export function createFormReader(staging: string, inspection: FileInspection, limits: UploadLimits): FormReader {
  const inTurn = createQueues<UserId | undefined>(perAccount);
  return async (ctx, form, admit) => {
    if (!ctx.request.is('multipart/form-data')) {
      throw new Failure('unsupported_media_type', { detail: 'The request body must be multipart/form-data.' });
    }
    refuseHopeless(ctx, form);
    const least = (ctx.request.length ?? 0) - allowanceForFields;
    if (least > 0) await admit?.(least);
    const { fields, staged } = await receive(ctx, form);
    const discard = async () => {
      await Promise.all(staged.map(({ path }) => rm(path, { force: true })));
    };
    const gone = clientGone(ctx.req.socket);
    try {
      const work = () => check(form, staged, gone);
      const { files, digests, faults } = await inTurn(ctx.state.caller?.user.id ?? ctx.state.me?.login.id, work, gone);
      gone.throwIfAborted();
      return { fields, files, digests, faults, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  };

  /** Refuses a body without reading it if it is longer than its files and fields may be together. */
  function refuseHopeless(ctx: Context, form: Expected): void {
    const most = longest(form);
    if ((ctx.request.length ?? 0) > most) throw tooLong(most);
  }

  function longest(form: Expected): number {
    return Object.keys(form.files).reduce((sum, field) => sum + largest(form, field), allowanceForFields);
  }

  function largest(form: Expected, field: string): number {
    const kinds = form.files[form.anyFileAs ?? field]?.kinds;
    // A file in a field that accepts no file is refused later, after the whole body is read.
    return kinds === undefined ? limits.image : Math.max(...kinds.map((kind) => limits[limitOf[kind]]));
  }

  async function receive(ctx: Context, form: Expected) {
    const { default: multer } = await import('@koa/multer');
    const feeding = feedUpTo(longest(form));
    const storage = new Staging(staging, (field) => largest(form, field), feeding.stop);
    const receiver = multer({
      storage,
      streamHandler: feeding.feed,
      limits: { files: Object.keys(form.files).length, fields: 50, fieldSize: 262_144, fieldNameSize: 100, parts: 60 },
    });
    try {
      await Promise.race([receiver.any()(ctx, async () => undefined), feeding.refused]);
    } catch (error) {
      await storage.discard();
      throw asFailure(storage.failure ?? error);
    }
    const { body, files } = ctx.request as { body?: object; files?: Staged[] };
    // multer ignores a body if it cannot read its content type.
    if (body === undefined) throw new Failure('bad_request', { detail: unreadable });
    return { fields: { ...body }, staged: files ?? [] };
  }

  async function check(form: Expected, staged: readonly Staged[], gone: Abort) {
    const files: Record<string, CheckedFile> = {};
    const digests: Record<string, string> = {};
    // Without a prototype: clients choose the names of fields, and may choose `constructor`.
    const faults: Record<string, string[]> = Object.create(null);
    for (const { fieldname, path, size, sha256 } of staged) {
      const field = form.anyFileAs ?? fieldname;
      const kinds = form.files[field]?.kinds;
      const fault = (text: string) => {
        faults[field] = [...(faults[field] ?? []), text];
      };
      if (kinds === undefined) fault('It takes no file.');
      else if (field in digests) fault('It takes one file only.');
      else {
        digests[field] = sha256;
        const found = await inspection.inspect(path, gone);
        if (found.kind === 'unusable') fault(found.why);
        else if (!kinds.includes(found.kind))
          fault(`It must be ${kinds.map((kind) => kind.toUpperCase()).join(' or ')}.`);
        else if (size > limits[limitOf[found.kind]]) throw tooLarge(field, limits[limitOf[found.kind]]);
        else files[field] = { path, kind: found.kind, size };
      }
    }
    for (const [field, { isOptional = false, missing: text = missing }] of Object.entries(form.files)) {
      if (!isOptional && !(field in digests) && !(field in faults)) faults[field] = [text];
    }
    return { files, digests, faults };
  }
}

/** Bytes that a form may have besides its files. */
const allowanceForFields = 1_048_576;

const unreadable = 'The multipart body could not be read.';

function tooLarge(field: string, limit: number): Failure {
  return new Failure('payload_too_large', { detail: `The file in ${field} may have at most ${limit} bytes.` });
}

/** Writes each file part to its own file, and deletes files that did not arrive completely. */
class Staging implements StorageEngine {
  readonly #folder: string;
  readonly #largest: (field: string) => number;
  readonly #work: Promise<void>[] = [];
  readonly #paths: string[] = [];
  /** The error of the first file that could not be stored. */
  failure: Error | undefined;
  readonly #stop: (failure: Error) => void;

  /** `stop` ends the reading of the form. */
  constructor(folder: string, largest: (field: string) => number, stop: (failure: Error) => void) {
    this.#folder = folder;
    this.#largest = largest;
    this.#stop = stop;
  }

  _handleFile(
    _request: unknown,
    file: { readonly fieldname: string; readonly stream: Readable },
    done: (error?: unknown, info?: Omit<Staged, 'fieldname'>) => void,
  ): void {
    const path = join(this.#folder, randomUUID());
    const limit = this.#largest(file.fieldname);
    const hash = createHash('sha256');
    let size = 0;
    // multer reports a broken stream as an error of the client, so the reason is kept here.
    const measured = async function* (this: Staging, chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > limit) {
          this.failure ??= tooLarge(file.fieldname, limit);
          throw this.failure;
        }
        hash.update(chunk);
        yield chunk;
      }
    }.bind(this);
    const work = pipeline(file.stream, measured, createWriteStream(path, { flags: 'wx' })).then(
      () => done(null, { path, size, sha256: hash.digest('hex') }),
      (error) => {
        if (error instanceof Error && 'errno' in error) this.failure ??= error; // The disk's fault, not the client's.
        if (this.failure !== undefined) this.#stop(this.failure);
        return rm(path, { force: true }).then(() => done(error), done);
      },
    );
    this.#work.push(work);
    this.#paths.push(path);
  }

  /** Waits until all writes have ended, then deletes the files. multer deletes them too, but the response does not wait for it. */
  async discard(): Promise<void> {
    await Promise.all(this.#work);
    await Promise.all(this.#paths.map((path) => rm(path, { force: true })));
  }

  _removeFile(_request: unknown, file: { readonly path?: string }, done: (error: Error | null) => void): void {
    (file.path === undefined ? Promise.resolve() : rm(file.path, { force: true })).then(() => done(null), done);
  }
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isDiskOutage(error)) return new Unavailable('Incoming files cannot be written at the moment.', { cause: error });
  if (error.name === 'MulterError') {
    const { code, field } = error as MulterError;
    const detail = code === 'LIMIT_FILE_COUNT' ? tooManyFiles : formTooLarge;
    return new Failure('validation_error', { detail, ...(field && { fields: { [field]: [detail] } }) });
  }
  const isMalformed = /^(Multipart: |Unexpected end of form|Malformed part|Request (aborted|closed)|Part terminated)/;
  return isMalformed.test(error.message) ? new Failure('bad_request', { detail: unreadable, cause: error }) : error;
}
