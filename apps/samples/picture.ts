import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

const width = 640;
const height = 360;

/** Draws a picture of a product: rings in one colour before a slope of another. Returns a PNG. */
export function drawPicture(back: Colour, front: Colour): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const ring = Math.sin(Math.hypot(x - width * 0.68, y - height * 0.45) / 22);
      const share = 0.55 * Math.max(0, ring) + 0.35 * (x / width);
      const at = y * (width * 3 + 1) + 1 + x * 3;
      for (const part of [0, 1, 2] as const) rows[at + part] = back[part] + (front[part] - back[part]) * share;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits for each of red, green and blue.
  head.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
}
