import { minute } from '../../../core/time.ts';
import { remembered } from './remembered.ts';

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayText = remembered((iso: string) => day.format(new Date(iso)));
const list = new Intl.ListFormat('en');

/** Formats a whole number for people, such as 12,345. */
export function readableNumber(number: number): string {
  // Most numbers are small, and the format costs as much as a row of a list.
  return isSmall(number) ? String(number) : whole.format(number);
}

function isSmall(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < 1_000;
}

/** Formats a number beside a name in the navigation: `99+` if it is larger than 99. */
export function countOf(number: number): string {
  return number > 99 ? '99+' : String(number);
}

/** Formats a number of things, such as "1 domain" or "12,345 domains". For words that take an s. */
export function counted(number: number, word: string): string {
  return `${readableNumber(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** Formats a whole number in little space, such as 12K. */
export function shortNumber(number: number): string {
  return isSmall(number) ? String(number) : short.format(number);
}

/** Formats a day in UTC in little space, such as Nov 22. */
export function shortDay(iso: string): string {
  return dayText(iso);
}

/** Joins words for people, such as “a, b, and c”. */
export function readableList(words: readonly string[]): string {
  return list.format(words);
}

/** A length of time in words, such as `one hour`. */
export function lasting(milliseconds: number): string {
  const minutes = milliseconds / minute;
  const units = [
    [1_440, 'day'],
    [60, 'hour'],
    [1, 'minute'],
  ] as const;
  const [size, unit] = units.find(([length]) => minutes % length === 0) ?? units[2];
  const count = Math.round(minutes / size);
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}
