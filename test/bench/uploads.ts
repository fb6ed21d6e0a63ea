import { randomBytes } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { Databases } from './databases.ts';
import { type Running, withLatchkey } from './processes.ts';
import { addSeller, withParts } from './seed.ts';
import { median, ratio } from './statistics.ts';

/** Bytes of resident memory at the peak, during one upload and during four at once. */
export interface Uploads {
  readonly one: number;
  readonly four: number;
  readonly ratio: number;
}

/** Bytes of one upload. */
const uploadSize = 50_000_000;

/** If uploads are not kept in memory, four of them need no more memory than one. */
export async function measureUploads(
  folder: TemporaryFolder,
  databases: Databases,
  pairs: number,
  tell: (line: string) => void,
): Promise<Uploads> {
  const small = await makeZip(folder.file('small.zip'), 50_000);
  const large = await makeZip(folder.file('large.zip'), uploadSize);
  const one: number[] = [];
  const four: number[] = [];
  for (let pair = 1; pair <= pairs; pair++) {
    tell(`uploads: pair ${pair} of ${pairs}`);
    one.push(await peakWhileUploading(1, { folder, databases, small, large }));
    four.push(await peakWhileUploading(4, { folder, databases, small, large }));
  }
  await rm(large);
  return { one: median(one), four: median(four), ratio: ratio(four, one) };
}

interface Setting {
  readonly folder: TemporaryFolder;
  readonly databases: Databases;
  /** The file for the warm-up. */
  readonly small: string;
  readonly large: string;
}

/** Each measurement starts a new server, because a process seldom gives memory back. */
async function peakWhileUploading(count: number, { folder, databases, small, large }: Setting): Promise<number> {
  const url = await databases.create('sqlite');
  const { apiKey } = await withParts(url, addSeller);
  const files = folder.file('uploads');
  const settings = { DATABASE_URL: url, FILES_URL: `disk:${files}`, RATE_LIMIT_URL: 'off:' };
  const peak = await withLatchkey(folder, settings, async (server) => {
    await upload(server, apiKey, small);
    return await peakOf(server, () => Promise.all(Array.from({ length: count }, () => upload(server, apiKey, large))));
  });
  await rm(files, { recursive: true });
  return peak;
}

/** Sends a file while it is read from the disk. */
async function upload({ port }: Running, apiKey: string, path: string): Promise<void> {
  const file = await openAsBlob(path);
  const form = new FormData();
  form.set('file', file, 'upload.zip');
  const url = `http://127.0.0.1:${port}/api/marketplace/upload`;
  const response = await fetch(url, { method: 'POST', headers: { 'X-API-Key': apiKey }, body: form });
  const text = await response.text();
  if (response.status !== 200 || JSON.parse(text).size !== file.size) {
    throw new Error(`An upload returned ${response.status} ${text}`);
  }
}

/** Makes a zip with one file of random bytes, which cannot be compressed. */
async function makeZip(path: string, bytes: number): Promise<string> {
  const zip = new ZipFile();
  zip.addBuffer(randomBytes(bytes), 'random', { compress: false });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

/** Returns the peak of memory during some work, in bytes: as Linux reports it, or sampled every 20 ms. */
async function peakOf(server: Running, work: () => Promise<unknown>): Promise<number> {
  if (!(await forgetPeak(server))) return await peakSeen(server, work);
  await work();
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) throw new Error('Linux does not report the peak of memory.');
  return Number(kibibytes) * 1024;
}

/** Resets the peak that Linux reports. Returns false if the system cannot do it. */
async function forgetPeak({ pid }: Running): Promise<boolean> {
  return await writeFile(`/proc/${pid}/clear_refs`, '5').then(
    () => true,
    () => false,
  );
}

async function peakSeen(server: Running, work: () => Promise<unknown>): Promise<number> {
  const working = work();
  const over = working.then(
    () => true,
    () => true,
  );
  let peak = 0;
  do {
    peak = Math.max(peak, await server.memory());
  } while (!(await Promise.race([over, setTimeout(20, false)])));
  await working;
  return peak;
}
