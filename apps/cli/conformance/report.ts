import { create } from 'xmlbuilder2';
import { colored } from '../output.ts';
import type { Failure, Result } from './run.ts';

/** Returns the address of a part of the guides. */
export type GuideLink = (guide: string) => string;

const marks = {
  passed: () => colored('green', '✔'),
  failed: () => colored('red', '✘'),
  skipped: () => colored('yellow', '-'),
} as const;

/** One line for a case; more if it failed: what was sent, what came, what must come, and why. */
export function linesOf({ case: one, state, failure, reason }: Result, link: GuideLink): string[] {
  const head = `${marks[state]()} ${one.rule} ${colored('dim', one.id)}`;
  if (reason !== undefined) return [`${head} (skipped: ${reason})`];
  if (failure === undefined) return [head];
  return [head, ...detailsOf(failure).map((line) => `    ${line}`), `    See ${link(one.guide)}`, ''];
}

function detailsOf({ step, request, answer, faults, expected }: Failure): string[] {
  const { method, path, query, json, body } = request;
  const search = new URLSearchParams(query).toString();
  const sent = json === undefined ? body : JSON.stringify(json);
  return [
    ...faults.map((fault) => colored('red', fault)),
    `Request, step ${step}: ${method} ${path}${search && `?${search}`}${sent === undefined ? '' : ` ${sent}`}`,
    ...(answer ? [`Answer: ${answer.status} ${JSON.stringify(answer.body)}`] : []),
    `Expected: ${JSON.stringify(expected)}`,
  ];
}

/** The results as JSON: for programs. */
export function toJson(results: readonly Result[], server: string, link: GuideLink): object {
  return {
    server,
    ...countsOf(results),
    cases: results.map(({ case: { id, group, rule, guide }, state, failure, reason, milliseconds }) => ({
      ...{ id, group, rule, guide: link(guide), state, milliseconds: Math.round(milliseconds) },
      ...(reason !== undefined && { reason }),
      ...(failure && { failure }),
    })),
  };
}

export function countsOf(results: readonly Result[]): Readonly<Record<Result['state'], number>> {
  const count = (state: Result['state']) => results.filter((one) => one.state === state).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** The results as JUnit XML, which systems for continuous integration read. */
export function toJunit(results: readonly Result[], server: string, link: GuideLink): string {
  const { failed, skipped } = countsOf(results);
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(3);
  const suite = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement: ' ' })
    .ele('testsuites')
    .ele('testsuite', {
      ...{
        name: 'License API',
        hostname: new URL(server).host,
        tests: results.length,
        failures: failed,
        errors: 0,
        skipped,
      },
      time: seconds(results.reduce((sum, { milliseconds }) => sum + milliseconds, 0)),
    });
  for (const result of results) {
    const { case: one, failure, reason, milliseconds } = result;
    const element = suite.ele('testcase', {
      ...{ name: `${one.id}: ${one.rule}`, classname: one.group, time: seconds(milliseconds) },
    });
    if (reason !== undefined) element.ele('skipped', { message: reason });
    if (failure) {
      const text = [...detailsOf(failure), `See ${link(one.guide)}`].join('\n');
      element.ele('failure', { message: failure.faults.join(' ') }).txt(text);
    }
  }
  return suite.end({ prettyPrint: true });
}
