/** Returns texts by name as PHP's `serialize` writes an array of them. Lengths are in bytes. */
export function serialized(texts: Readonly<Record<string, string>>): string {
  const entries = Object.entries(texts);
  const parts = entries.flat().map((text) => `s:${Buffer.byteLength(text)}:"${text}";`);
  return `a:${entries.length}:{${parts.join('')}}`;
}
