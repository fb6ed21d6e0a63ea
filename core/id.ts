/** Whether a text that names something is its id, rather than its slug or address: those never are digits alone. */
export function isId(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
