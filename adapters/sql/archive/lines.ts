import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ImportRefused } from './refused.ts';
import type { ArchivedRow } from './tables.ts';

/** Size and checksum of a file, so that a later reader can detect a change. */
export interface Digest {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface LinesDigest extends Digest {
  readonly rows: number;
}

/** Writes a new file and syncs it. Throws if the file exists. */
export async function writeNew(file: string, content: AsyncIterable<Uint8Array>): Promise<Digest> {
  const handle = await open(file, 'wx');
  try {
    return await digestOf(content, (piece) => writeAll(handle, piece));
  } finally {
    await handle.sync().finally(() => handle.close());
  }
}

/** Returns the digest of all pieces together. Calls `each` for every piece first. */
export async function digestOf(
  content: AsyncIterable<Uint8Array>,
  each: (piece: Uint8Array) => Promise<void> = async () => undefined,
): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    await each(piece);
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  await handle.appendFile(piece);
}

/** Writes a new file with a line of JSON for each row. */
export async function writeLines(file: string, pages: AsyncIterable<readonly ArchivedRow[]>): Promise<LinesDigest> {
  let rows = 0;
  async function* content() {
    for await (const page of pages) {
      rows += page.length;
      yield Buffer.from(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
    }
  }
  const digest = await writeNew(file, content());
  return { rows, ...digest };
}

/**
 * Reads a file of `writeLines`, some rows at a time. Throws `ImportRefused` if the file has changed, in some cases only
 * after the last row.
 */
export async function* readLines(file: string, expected: LinesDigest): AsyncGenerator<readonly ArchivedRow[]> {
  const damaged = () => new ImportRefused(`${basename(file)} has changed since the export.`);
  if ((await stat(file)).size !== expected.bytes) throw damaged();
  const hash = createHash('sha256');
  const decoder = new TextDecoder();
  let rows = 0;
  let rest = '';
  for await (const piece of createReadStream(file)) {
    hash.update(piece);
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    rows += lines.length;
    yield lines.map((line) => parseRow(line) ?? raise(damaged()));
  }
  if (rest !== '' || hash.digest('hex') !== expected.sha256) throw damaged();
  if (rows !== expected.rows) {
    throw new ImportRefused(`${basename(file)} has ${rows} rows, but the manifest says ${expected.rows}.`);
  }
}

function parseRow(line: string): ArchivedRow | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null ? (row as ArchivedRow) : undefined;
  } catch {
    return undefined;
  }
}

function raise(error: Error): never {
  throw error;
}
