import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import type { Actor } from '../../core/accounts/role.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';

const by = { actor: 'demo', reason: 'sample data' };

/** The operator, who may do everything. */
export const operator = { kind: 'operator', by } as const satisfies Actor;

/** Returns the result. Throws if it is a refusal. */
export function done<T>(outcome: T | Refused): T {
  if (isRefused(outcome)) throw new Error(`A sample was refused: ${outcome.reason}.`);
  return outcome;
}

/** An uploaded file, as the services take it. */
export async function staged<Kind extends 'zip' | 'png'>(path: string, kind: Kind) {
  return { path, kind, size: (await stat(path)).size } as const;
}

/** Writes a zip with text files. The keys of `texts` are their names. */
export async function writeZip(path: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(texts)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** A blue square. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsOtlJxMbxgi+hcEKLNXzWgQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELgt/vlFpVhxkdgAAAABJRU5ErkJggg==',
  'base64',
);
