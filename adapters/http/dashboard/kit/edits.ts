import { createHash } from 'node:crypto';
import { type FormState, type FormValues, seenField } from '../../ui/form-state.ts';
import { formWords } from '../../ui/words.ts';

/*
 * Forms that change something show what it was when they were opened. If it has changed before they are sent, the form is
 * shown again: it says what changed, and keeps what was typed. Nobody's change is undone without being seen.
 */

/** A short digest of each value of a form, which the form sends back. */
export function digestsOf(values: FormValues): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}:${digestOf(value)}`)
    .join(' ');
}

/** What is shown after something changed meanwhile. */
type Meanwhile = Pick<FormState, 'values' | 'faults'>;

/**
 * Compares the values of a form with those that its person saw. Returns `undefined` if all are as they were, or if the form
 * does not say what it showed. A field that the person has not touched gets its new value. `choices` are the fields
 * whose values are no texts for people.
 */
export function changedMeanwhile(
  { [seenField]: seen, ...typed }: FormValues,
  now: FormValues,
  choices: readonly string[],
): Meanwhile | undefined {
  if (typeof seen !== 'string') return undefined;
  const before = new Map(seen.split(' ').map((one) => one.split(':') as [string, string]));
  const changed = Object.keys(now).filter((name) => before.has(name) && before.get(name) !== digestOf(now[name]));
  if (changed.length === 0) return undefined;
  const untouched = changed.filter((name) => before.get(name) === digestOf(typed[name]));
  return {
    values: { ...typed, ...Object.fromEntries(untouched.map((name) => [name, now[name] ?? ''])) },
    faults: Object.fromEntries(
      changed.map((name) => [
        name,
        [faultOf(choices.includes(name) ? undefined : now[name], untouched.includes(name))],
      ]),
    ),
  };
}

const mostShown = 100;

function faultOf(value: FormValues[string] | undefined, isUntouched: boolean): string {
  const { changed, changedTo, emptied, keptTyped } = formWords.meanwhile;
  const text = typeof value === 'string' ? value : undefined;
  const what = text === undefined || [...text].length > mostShown ? changed : text === '' ? emptied : changedTo(text);
  return isUntouched ? what : `${what} ${keptTyped}`;
}

/** Browsers send other line ends than were shown, and nothing for boxes that are not checked. */
function digestOf(value: FormValues[string] = ''): string {
  const texts = [value].flat().map((text) => text.replaceAll('\r\n', '\n').trim());
  const content = JSON.stringify(texts.filter((text) => text !== '').sort());
  return createHash('sha256').update(content).digest('base64url').slice(0, 12);
}
