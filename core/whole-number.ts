/** Reads a whole number in decimal digits, without sign or gaps. Returns `undefined` if it is not from `least` to `most`. */
export function parseWholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}
