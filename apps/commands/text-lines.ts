import { RefusedCommand } from './action.ts';

const longest = 1024 * 1024;

/**
 * Returns the lines of a UTF-8 text, some at a time, without its byte order mark. The last line may be empty. Throws
 * `RefusedCommand` if the bytes are not UTF-8, or if a line is too long.
 */
export async function* readTextLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let read = 0;
  for await (const chunk of chunks) {
    const text = rest + decode(decoder, Buffer.from(chunk));
    // The other half of CRLF may be in the next chunk.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = `${lines.pop() ?? ''}${text.slice(end)}`;
    read += lines.length;
    if (rest.length > longest) throw new RefusedCommand(`Nothing was imported: line ${read + 1} is too long.`);
    if (lines.length > 0) yield lines;
  }
  yield `${rest}${decode(decoder)}`.split(/\r\n|\n|\r/);
}

/** Called without bytes at the end of the text. */
function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new RefusedCommand('Nothing was imported: the file is not text in UTF-8.', { cause: error });
  }
}
