import { pngOf, zipOf } from './samples.ts';

/** The value of a form field: a text or a file. */
type Value = string | Uint8Array | { readonly bytes: Uint8Array; readonly filename: string };
/** One value, or several with the same name. */
export type Part = Value | readonly Value[];

export function formOf(parts: Readonly<Record<string, Part | undefined>>): FormData {
  const form = new FormData();
  for (const [name, part = []] of Object.entries(parts)) {
    for (const value of isSeveral(part) ? part : [part]) {
      if (typeof value === 'string') form.append(name, value);
      else if (value instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(value)]), 'file.bin');
      else form.append(name, new Blob([new Uint8Array(value.bytes)]), value.filename);
    }
  }
  return form;
}

function isSeveral(part: Part): part is readonly Value[] {
  return Array.isArray(part);
}

const sampleZip = await zipOf();

/** Returns a valid form for publish. `parts` replace or remove its fields. */
export function listingForm(parts: Readonly<Record<string, Part | undefined>> = {}): FormData {
  return formOf({
    module: 'token',
    title: 'Token Launcher',
    tagline: 'Launch a token',
    description: 'Launches a token in a minute, on any chain.',
    price: '49.90',
    product_zip: sampleZip,
    thumbnail: pngOf(),
    ...parts,
  });
}

export const boundary = 'latchkey-boundary';

/** Returns a raw HTTP request with a form. The body is sent unchanged and may be invalid. */
export function formRequest(
  path: string,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): string {
  const all = {
    Host: 'localhost',
    'X-API-Key': key,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Returns the header of one part of a form, without its content and end. */
export function partHead(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
}
