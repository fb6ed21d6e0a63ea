import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { endOfDay, startOfDay } from '../../core/day-text.ts';
import { type Api, openApi } from './api.ts';
import type { GlobalOptions } from './connection.ts';
import { printJson } from './output.ts';
import { Stop } from './stop.ts';

/** The options of a command with those that all commands have. */
export type Given<Options> = Options & GlobalOptions;

/** Makes the action of a command that calls the API as the signed-in person. `args` are the arguments in order. */
export function calling<Options, Args extends readonly (string | readonly string[] | undefined)[] = readonly string[]>(
  act: (api: Api, options: Given<Options>, ...args: Args) => Promise<void>,
): (this: Command) => Promise<void> {
  return async function (this: Command) {
    const options = this.optsWithGlobals<Given<Options>>();
    await act(await openApi(options), options, ...(this.processedArgs as unknown as Args));
  };
}

/** Prints the answer as JSON if the person wants that, and otherwise for people. */
export function show(options: GlobalOptions, answer: unknown, forPeople: () => void): void {
  if (options.json) printJson(answer);
  else forPeople();
}

/** Reads a whole number of an option. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    const to = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new Stop('wrongUsage', `${text} is not a whole number of ${to}.`);
  };
}

/** Reads a day (its start in UTC) or a time of an option, as the API wants it. */
export function time(text: string): string {
  return isoOf(text, startOfDay(text));
}

/** Reads when something ends: a day (its end in UTC), a time, or `never`. An option cannot be null: `orNull` makes it that. */
export function end(text: string): string {
  return text === never ? text : isoOf(text, endOfDay(text));
}

const never = 'never';

/** Returns an end as the API wants it: null for `never`. */
export function orNull(end: string | undefined): string | null | undefined {
  return end === never ? null : end;
}

function isoOf(text: string, ofDay: number | undefined): string {
  const at = ofDay ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? Number.NaN : Date.parse(text));
  if (Number.isNaN(at)) throw new Stop('wrongUsage', `${text} is no day such as 2027-01-31.`);
  return new Date(at).toISOString();
}

/** Asks before something that cannot be undone. Without a terminal, `--yes` must have said so. */
export async function confirmed(question: string, isSure: boolean | undefined): Promise<void> {
  if (isSure) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Stop('wrongUsage', 'This cannot be undone.', 'Say --yes if you are sure.');
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer) || !answer) throw new Stop('failed', 'Nothing was done.');
}

/** Waits, but not after `stop`. */
export async function rest(milliseconds: number, stop?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal: stop }).catch((error) => {
    if (!stop?.aborted) throw error;
  });
}
