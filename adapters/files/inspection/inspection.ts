import { open } from 'node:fs/promises';
import { type FileKind, fileKinds, type ImageKind } from '../../../core/marketplace/checked-file.ts';
import type { FileInspection, Inspected } from '../../contracts/file-inspection.ts';
import { mediaTypes } from '../../media-types.ts';
import { translate } from '../errors.ts';
import { inspectJpg } from './jpg.ts';
import { defaultLimits, type Fault, type InspectionLimits } from './limits.ts';
import { createPieces, type Pieces } from './pieces.ts';
import { inspectPng } from './png.ts';
import { createZipInspection } from './zip.ts';

const headSize = 4100;

/** The first bytes of each kind of file. */
const signatures = {
  zip: ['PK\x03\x04', 'PK\x05\x06'],
  png: ['\x89PNG\r\n\x1a\n'],
  jpg: ['\xff\xd8\xff'],
} as const satisfies Record<FileKind, readonly string[]>;

const inspectImage = { png: inspectPng, jpg: inspectJpg } as const satisfies Record<ImageKind, typeof inspectPng>;

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
  const beginning = head.toString('latin1', 0, 16);
  const kind = fileKinds.find((one) => signatures[one].some((bytes) => beginning.startsWith(bytes)));
  if (kind === undefined) return unusable(size === 0 ? 'It is empty.' : await refusalOf(head));
  if (kind === 'zip') {
    const fault = await faultOfZip(file);
    return fault === undefined ? { kind, size } : unusable(fault);
  }
  const image = await inspectImage[kind](file, limits);
  return typeof image === 'string' ? unusable(image) : { kind, size, ...image };
}

function unusable(why: Fault): Inspected {
  return { kind: 'unusable', why };
}

const acceptedTypes = new Set<string>([...Object.values(mediaTypes), 'image/apng']);

async function refusalOf(head: Buffer): Promise<Fault> {
  // Imported here, because the package loads slowly and is rarely needed.
  const { fileTypeFromBuffer } = await import('file-type');
  // The package throws on some broken files. The message is complete without the type.
  const type = await fileTypeFromBuffer(Buffer.from(head)).catch(() => undefined);
  const name = type === undefined || acceptedTypes.has(type.mime) ? '' : `${type.mime}, `;
  return `It is ${name}neither a zip nor a PNG or JPG image.`;
}
