import { rest } from '../acting.ts';
import { readWait, unreachable, userAgent } from '../api.ts';
import { within } from '../within.ts';
import { type Answer, faultsOf } from './judge.ts';
import { type Case, type Expected, type Keys, type KitRequest, withKeys } from './kit.ts';

/** The first step of a case whose answer was wrong. */
export interface Failure {
  /** Counted from 1. */
  readonly step: number;
  readonly request: KitRequest;
  readonly expected: Expected;
  /** Missing if there was no answer. */
  readonly answer?: Answer;
  readonly faults: readonly string[];
}

export interface Result {
  readonly case: Case;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failure?: Failure;
  /** Why it was skipped. */
  readonly reason?: string;
  readonly milliseconds: number;
}

/** How often a call is made that is refused because of its limit. */
const mostTries = 4;
/** Milliseconds for one call. */
const patience = 30_000;

/** Runs a case against a server. `told` gets a sentence while it waits. */
export async function runCase(server: string, one: Case, keys: Keys, told: (text: string) => void): Promise<Result> {
  const started = performance.now();
  const done = (found: Omit<Result, 'case' | 'milliseconds'>): Result => ({
    case: one,
    ...found,
    milliseconds: performance.now() - started,
  });
  const missing = one.licenses.filter((kind) => keys[kind] === undefined);
  if (missing.length > 0) return done({ state: 'skipped', reason: `It needs a license: ${missing.join(', ')}.` });
  const before: unknown[] = [];
  for (const [index, step] of one.steps.entries()) {
    const { request, answer: expected } = withKeys(step, keys);
    const failed = (faults: readonly string[], answer?: Answer) =>
      done({ state: 'failed', failure: { step: index + 1, request, expected, faults, ...(answer && { answer }) } });
    const answer = await answerTo(server, request, expected.status, told).catch((error: Error) => error.message);
    if (typeof answer === 'string') return failed([answer]);
    const faults = faultsOf(answer, expected, before);
    if (faults.length > 0) return failed(faults, answer);
    before.push(answer.body);
  }
  return done({ state: 'passed' });
}

/** Sends a request, again after the time that the server asks for if there were too many calls. */
async function answerTo(
  server: string,
  request: KitRequest,
  wanted: number,
  told: (text: string) => void,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send(server, request);
    const wait = readWait(answer.headers['retry-after']);
    if (answer.status !== 429 || wanted === 429 || wait === undefined || tries === mostTries) return answer;
    told(`The server allows no more calls of ${request.path} at the moment. Waiting for ${Math.ceil(wait / 1000)} s.`);
    await rest(wait);
  }
}

async function send(server: string, { method, path, query, json, body, type, headers }: KitRequest): Promise<Answer> {
  const url = new URL(path, server);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const sent = json === undefined ? body : JSON.stringify(json);
  return await within(patience, undefined, async (signal) => {
    const response = await fetch(url, {
      ...{ method, signal, redirect: 'manual' },
      headers: {
        'User-Agent': userAgent,
        ...(sent !== undefined && { 'Content-Type': type ?? 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: parsed(text) };
  }).catch((error: unknown) => {
    throw unreachable(server, error);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
