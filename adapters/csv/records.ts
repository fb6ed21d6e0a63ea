/** A line of a CSV file. A cell in quotation marks may contain line breaks, so it can be more than one line of the text. */
export interface CsvRecord {
  /** Where it starts. */
  readonly line: number;
  readonly text: string;
}

/** Some records, or the reason why the rest of the file cannot be read. */
export interface Records {
  readonly records: readonly CsvRecord[];
  /** The number of lines that were read up to here. */
  readonly read: number;
  readonly fault?: { readonly line: number; readonly message: string };
}

/** The most characters of a record: 2,000 domains with their times have about half of them. Nothing else runs while one is read. */
export const longestRecord = 1024 * 1024;
/** The most records or rows that are returned at once. */
export const mostAtOnce = 500;
/** The most characters of records that are returned at once, if there is more than one. */
const mostCharacters = 1024 * 1024;

/** Decodes a file in UTF-8 in pieces, without its byte order mark. Returns `undefined` for bytes that are not UTF-8. */
export async function* utf8Texts(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) yield decoded(() => decoder.decode(Buffer.from(chunk), { stream: true }));
  yield decoded(() => decoder.decode());
}

/** Returns the records of a file in UTF-8, some at a time. */
export async function* readRecords(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Records> {
  const splitter = new Splitter();
  for await (const text of utf8Texts(chunks)) {
    if (text === undefined) return yield notUtf8(splitter);
    yield* splitter.add(text);
    if (splitter.isTooLong) return;
  }
  yield* splitter.end();
}

function decoded(decode: () => string): string | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function notUtf8({ line }: Splitter): Records {
  return { records: [], read: line, fault: { line, message: 'From here on, the file is not text in UTF-8.' } };
}

/** Puts lines together until no quotation mark is open. */
class Splitter {
  /** The line that is being read. */
  line = 1;
  isTooLong = false;
  /** The start of a line whose end has not come yet. */
  #rest = '';
  /** The start of a line break, whose other half may be in the next chunk. */
  #half = '';
  /** The lines of a record with an open quotation mark, and their line breaks. */
  #open: string[] = [];
  #openSize = 0;
  #records: CsvRecord[] = [];
  #size = 0;

  *add(text: string): Generator<Records> {
    const all = this.#half + text;
    const end = all.endsWith('\r') ? all.length - 1 : all.length;
    const pieces = all.slice(0, end).split(/(\r\n|\n|\r)/);
    this.#half = all.slice(end);
    pieces[0] = this.#rest + pieces[0];
    this.#rest = pieces.pop() ?? '';
    for (let at = 0; at < pieces.length; at += 2) {
      this.#take(pieces[at] ?? '', pieces[at + 1] ?? '');
      if (this.isTooLong) return yield this.#tooLong();
      if (this.#records.length >= mostAtOnce || this.#size >= mostCharacters) yield this.#flush();
    }
    if (this.#rest.length + this.#openSize > longestRecord) yield this.#tooLong();
    else if (this.#records.length > 0) yield this.#flush();
  }

  *end(): Generator<Records> {
    yield* this.add('\n');
    if (this.#open.length > 0) this.#push(this.#open.join(''), this.#open.length / 2);
    yield this.#flush();
  }

  #take(text: string, lineBreak: string): void {
    this.line += 1;
    this.#openSize += text.length + lineBreak.length;
    if (this.#openSize > longestRecord) {
      this.isTooLong = true;
      this.line -= 1;
      return;
    }
    if (this.#open.length === 0 && isClosed(text)) {
      this.#push(text, 1);
      return;
    }
    // A later line with an odd number of quotation marks closes the record.
    const closes = this.#open.length > 0 && !isClosed(text);
    this.#open.push(text, lineBreak);
    if (closes) this.#push(this.#open.slice(0, -1).join(''), this.#open.length / 2);
  }

  #push(text: string, lines: number): void {
    this.#records.push({ line: this.line - lines, text });
    this.#size += text.length;
    this.#open = [];
    this.#openSize = 0;
  }

  #flush(): Records {
    const records = this.#records;
    this.#records = [];
    this.#size = 0;
    return { records, read: this.line - 1 };
  }

  #tooLong(): Records {
    this.isTooLong = true;
    const line = this.line - this.#open.length / 2;
    const message = `It is longer than ${longestRecord} characters, or a quotation mark is not closed. The rest of the file was not read.`;
    return { ...this.#flush(), fault: { line, message } };
  }
}

/** Whether the number of quotation marks is even. */
function isClosed(text: string): boolean {
  let isEven = true;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isEven = !isEven;
  return isEven;
}
