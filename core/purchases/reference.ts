import { alphabet, checkDigit, inGroups } from '../check-character.ts';
import { type OrderId, toOrderId } from '../id.ts';
import type { Order } from './order.ts';

const digits = 7;
const size = 32n ** BigInt(digits);
/** Odd, so that each id has its own reference. Neighbours get references that do not look alike. */
const factor = 20_260_501_713n;
const shift = 9_128_374_651n;
/** `factor * inverse` is 1 modulo `size`. */
const inverse = 27_856_248_881n;

/**
 * The text that a buyer writes on a transfer, such as `7F3K-29QX`: short, without letters that look alike, and with a
 * check character. It does not tell how many orders there are.
 */
export function referenceOf({ id }: Pick<Order, 'id'>): string {
  let number = (BigInt(id) * factor + shift) % size;
  const written: number[] = [];
  for (let at = 0; at < digits; at++) {
    written.unshift(Number(number % 32n));
    number /= 32n;
  }
  return inGroups([...written, checkDigit(written)]);
}

/** Returns the id of the order that a text refers to. `undefined` if the text is no reference, or has a wrong character. */
export function idOfReference(text: string): OrderId | undefined {
  const typed = text.toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  if (!/^\s*[0-9A-Z]{4}[\s-]?[0-9A-Z]{4}\s*$/.test(typed)) return undefined;
  const read = Array.from(typed.replace(/[\s-]/g, ''), (character) => alphabet.indexOf(character));
  if (read.includes(-1) || checkDigit(read.slice(0, digits)) !== read[digits]) return undefined;
  const number = read.slice(0, digits).reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
  return toOrderId(Number((((number - shift + size) % size) * inverse) % size));
}
