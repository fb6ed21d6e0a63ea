const longest = 60;

/** Describes a cell of a file in a message: its column, and the start of its text on one line. */
export function describeCell(column: string, text: string): string {
  return `${column} ${quotedStart(text)}`;
}

/** Returns the start of a text in quotation marks. Unprintable characters are escaped. */
export function quotedStart(text: string): string {
  const start = JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
  return start.replace(/[\p{Control}\p{Format}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
