/**
 * Returns the text without line breaks and the blanks beside them, and without outer blanks, such as a key that a mail has broken into two
 * lines. In linear time: an expression for all of this would take hours for a long text of blanks.
 */
export function oneLine(text: string): string {
  if (!/[\r\n]/.test(text)) return text.trim();
  return text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .join('');
}
