import { open } from 'node:fs/promises';
import type { FileInspection, Inspected } from '../../file-inspection.ts';
import { translate } from '../errors.ts';
import { inspectJpg } from './jpg.ts';
import { defaultLimits, type Fault, type InspectionLimits } from './limits.ts';
import { createPieces, type Pieces } from './pieces.ts';
import { inspectPng } from './png.ts';
import { createZipInspection } from './zip.ts';

const headSize = 4100;

const signatures = [
  { kind: 'zip', bytes: Buffer.from('PK\x03\x04', 'latin1') },
  { kind: 'zip', bytes: Buffer.from('PK\x05\x06', 'latin1') },
  { kind: 'png', bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  { kind: 'jpg', bytes: Buffer.from('\xff\xd8\xff', 'latin1') },
] as const;

/** `inspect` throws `Unavailable` if the disk has an outage, and other system errors as they are. */
export function createFileInspection(
  limits: Partial<InspectionLimits> = {},
  piecesOf: typeof createPieces = createPieces,
): FileInspection {
  const full = { ...defaultLimits, ...limits };
  const faultOfZip = createZipInspection(full);
  return {
    inspect: (path, stop) =>
      translate(async () => {
        const handle = await open(path, 'r');
        try {
          const { size } = await handle.stat();
          return await inspect(piecesOf(handle, size, stop), full, faultOfZip);
        } finally {
          await handle.close();
        }
      }),
  };
}

async function inspect(
  file: Pieces,
  limits: InspectionLimits,
  faultOfZip: ReturnType<typeof createZipInspection>,
): Promise<Inspected> {
  const { size } = file;
  const head = (await file.read(0, Math.min(size, headSize))) ?? Buffer.alloc(0);
  const kind = signatures.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes))?.kind;
  if (kind === undefined) return unusable(size === 0 ? 'It is empty.' : await refusalOf(head));
  if (kind === 'zip') {
    const fault = await faultOfZip(file);
    return fault === undefined ? { kind, size } : unusable(fault);
  }
  const image = kind === 'png' ? await inspectPng(file, limits) : await inspectJpg(file, limits);
  return typeof image === 'string' ? unusable(image) : { kind, size, ...image };
}

function unusable(why: Fault): Inspected {
  return { kind: 'unusable', why };
}

const acceptedTypes = new Set(['application/zip', 'image/png', 'image/apng', 'image/jpeg']);

async function refusalOf(head: Buffer): Promise<Fault> {
  const { fileTypeFromBuffer } = await import('file-type'); // Here, because it loads slowly and is rarely needed.
  // The package throws on some broken files. The type is only extra information.
  const type = await fileTypeFromBuffer(Buffer.from(head)).catch(() => undefined);
  const name = type === undefined || acceptedTypes.has(type.mime) ? '' : `${type.mime}, `;
  return `It is ${name}neither a zip nor a PNG or JPG image.`;
}
