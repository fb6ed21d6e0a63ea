import { noteLimits } from '../../../../../core/licensing/license-notes.ts';
import { isWithoutNul } from '../../../fields.ts';
import { texts } from '../../../ui/texts.ts';

const { metadata: words } = texts.sellingLicenses;

type Metadata = Readonly<Record<string, string>>;

/** Half of a character, which databases do not store. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Writes metadata as lines of `name = text`, in which people edit it. Names and texts that would not survive that, such
 * as those with line breaks, stand in quotes as in JSON.
 */
export function writeMetadata(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([name, text]) => `${written(name, /=/)} = ${written(text)}`)
    .join('\n');
}

function written(text: string, forbidden?: RegExp): string {
  const isPlain =
    text === text.trim() && !/^"|[\r\n]/.test(text) && !forbidden?.test(text) && !loneSurrogate.test(text);
  return isPlain && (text !== '' || forbidden === undefined) ? text : JSON.stringify(text);
}

/** Reads what `writeMetadata` writes. Ignores blank lines. Returns a message if the lines are wrong. */
export function readMetadata(lines: string): Metadata | string {
  const read = new Map<string, string>();
  for (const [index, line] of lines.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    const entry = readLine(line);
    const fault = typeof entry === 'string' ? entry : faultOf(entry);
    if (typeof entry === 'string' || fault !== undefined) return words.inLine(index + 1, fault ?? '');
    if (read.has(entry.name)) return words.inLine(index + 1, words.twice(entry.name));
    read.set(entry.name, entry.text);
  }
  return read.size > noteLimits.metadata ? words.tooMany(noteLimits.metadata) : Object.fromEntries(read);
}

interface Entry {
  readonly name: string;
  readonly text: string;
}

function readLine(line: string): Entry | string {
  const quoted = /^\s*("(?:[^"\\]|\\.)*")\s*=(.*)$/.exec(line);
  const [, name = '', text = ''] = quoted ?? /^([^=]*)=(.*)$/.exec(line) ?? [];
  if (name === '' && text === '' && !line.includes('=')) return words.noEquals;
  return { name: unquoted(name.trim()), text: unquoted(text.trim()) };
}

/** A text that only looks like one in quotes stays as it is. */
function unquoted(text: string): string {
  if (!/^".*"$/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function faultOf({ name, text }: Entry): string | undefined {
  if (name === '') return words.noName;
  if ([...name].length > noteLimits.metadataKey) return words.longName(noteLimits.metadataKey);
  if ([...text].length > noteLimits.metadataText) return words.longText(noteLimits.metadataText);
  if (![name, text].every((one) => isWithoutNul(one) && !loneSurrogate.test(one))) return words.notText;
  return undefined;
}
