import { type Call, describeCall, describeOperation, type Operation } from './history.ts';
import { apply, changesNothing, dependsOnOrder, fingerprint, newState, type State } from './model.ts';

/** An error in a license's history. */
export interface Violation {
  readonly license: string;
  /** The number of its operations that had ended at the first error. */
  readonly ended: number;
  /** The operation whose answer is possible in no order. */
  readonly culprit: Operation;
  /** The operations around the culprit, and the answers that the model allows there. */
  readonly report: string;
}

export interface Judgement {
  readonly violations: readonly Violation[];
  /** Licenses without a result, because the search took too long. */
  readonly undecided: readonly string[];
}

/** The number of configurations that are tried for one license. */
const patience = 1_000_000;

/** Checks each license of a history separately. At the start, all are new and perpetual, with this limit of domains. */
export function checkHistory(history: readonly Operation[], maxDomains: number): Judgement {
  const byLicense = new Map<string, Operation[]>();
  for (const operation of history) {
    const same = byLicense.get(operation.license);
    if (same === undefined) byLicense.set(operation.license, [operation]);
    else same.push(operation);
  }
  const violations: Violation[] = [];
  const undecided: string[] = [];
  for (const [license, operations] of byLicense) {
    const result = linearize(operations, newState(maxDomains));
    if (result.kind === 'undecided') undecided.push(license);
    if (result.kind === 'impossible') violations.push(explain(license, operations, maxDomains));
  }
  return { violations, undecided };
}

type Result =
  | { readonly kind: 'possible' }
  | { readonly kind: 'undecided' }
  /** The states after the longest orders that were found, and why no operation fits next. */
  | { readonly kind: 'impossible'; readonly furthest: ReadonlyMap<string, readonly string[]> };

/** A partial order of the operations. */
interface Configuration {
  /** All known operations before this index are in the order. */
  readonly first: number;
  /** The known operations after `first` that are in the order, as bits. */
  readonly ahead: bigint;
  readonly placed: number;
  /** The number of operations of each unknown kind that are in the order. */
  readonly taken: readonly number[];
  /**
   * Unknown kinds in the order on which the next operation must depend. If it does not, it can come before them, and
   * that order is tried elsewhere.
   */
  readonly owed: readonly number[];
  readonly state: State;
}

/**
 * Tries to order one license's operations, each between its start and its end, so that the order is a run of the
 * model. The algorithm is Wing and Gong's, with Lowe's memory of configurations. An unknown operation may come any
 * time after its start, or never.
 */
function linearize(operations: readonly Operation[], initial: State): Result {
  const sorted = operations.toSorted((one, other) => one.start - other.start);
  const known = sorted.filter(({ answer }) => answer !== undefined);
  const unknown = unknownKinds(sorted);
  const start = { first: 0, ahead: 0n, placed: 0, taken: unknown.map(() => 0), owed: [], state: initial };
  const seen = new Map<string, (readonly number[])[]>();
  const stack: Configuration[] = [start];
  let looked = 0;
  let most = -1;
  let furthest = new Map<string, readonly string[]>();

  for (let configuration = stack.pop(); configuration !== undefined; configuration = stack.pop()) {
    if (configuration.placed === known.length) return { kind: 'possible' };
    const id = identify(configuration);
    const before = seen.get(id);
    // If this state was reached before with more unknown operations left, all further steps were tried then.
    if (before?.some((taken) => taken.every((count, kind) => count <= (configuration.taken[kind] as number)))) continue;
    if (looked++ === patience) return { kind: 'undecided' };
    if (before === undefined) seen.set(id, [configuration.taken]);
    else before.push(configuration.taken);
    const candidates = candidatesOf(configuration, known);
    if (configuration.placed > most) {
      most = configuration.placed;
      furthest = new Map();
    }
    if (configuration.placed === most && furthest.size < 5) {
      const said = candidates.map((index) => disagreement(configuration.state, known[index] as Operation));
      furthest.set(fingerprint(configuration.state), said);
    }
    stack.push(...nextOf(configuration, candidates, known, unknown));
  }
  return { kind: 'impossible', furthest };
}

/** Returns the possible next steps. The most promising one is last. */
function nextOf(
  configuration: Configuration,
  candidates: readonly number[],
  known: readonly Operation[],
  unknown: readonly (readonly Operation[])[],
): Configuration[] {
  const { state, owed, taken } = configuration;
  const next: Configuration[] = [];
  let latest = Number.POSITIVE_INFINITY;
  for (const index of candidates) {
    const { call, answer, end } = known[index] as Operation;
    latest = Math.min(latest, end);
    if (owed.some((kind) => !dependsOnOrder(callOf(unknown, kind), call))) continue;
    const step = apply(state, call);
    if (step.answer !== answer) continue;
    const placed = place(configuration, index, known.length, step.state);
    // An operation that changes nothing in any state can come as soon as it fits.
    if (changesNothing(call, answer)) return [placed];
    next.push(placed);
  }
  unknown.forEach((operations, kind) => {
    const operation = operations[taken[kind] as number];
    if (operation === undefined || operation.start > latest) return;
    const step = apply(state, operation.call);
    if (step.state === state) return;
    next.unshift({
      ...configuration,
      taken: taken.with(kind, (taken[kind] as number) + 1),
      owed: [
        ...owed.filter((before) => before !== kind && !dependsOnOrder(callOf(unknown, before), operation.call)),
        kind,
      ].sort((one, other) => one - other),
      state: step.state,
    });
  });
  return next;
}

/** The known operations that started before any other remaining operation ended. The one that ended first is last. */
function candidatesOf({ first, ahead }: Configuration, known: readonly Operation[]): number[] {
  const candidates: number[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  let bits = ahead;
  for (let index = first; index < known.length; index++, bits >>= 1n) {
    const { start, end } = known[index] as Operation;
    if (start > firstEnd) break;
    if (bits & 1n) continue;
    candidates.push(index);
    firstEnd = Math.min(firstEnd, end);
  }
  return candidates
    .filter((index) => (known[index] as Operation).start <= firstEnd)
    .sort((one, other) => (known[other] as Operation).end - (known[one] as Operation).end);
}

function place(configuration: Configuration, index: number, count: number, state: State): Configuration {
  let first = configuration.first;
  let ahead = configuration.ahead | (1n << BigInt(index - first));
  while (first < count && ahead & 1n) {
    first++;
    ahead >>= 1n;
  }
  return { ...configuration, first, ahead, placed: configuration.placed + 1, owed: [], state };
}

/** Unknown operations that might have changed something, grouped by equal effect. */
function unknownKinds(operations: readonly Operation[]): Operation[][] {
  const kinds = new Map<string, Operation[]>();
  for (const operation of operations) {
    if (operation.answer !== undefined) continue;
    const kind = describeCall(operation.call);
    const same = kinds.get(kind);
    if (same === undefined) kinds.set(kind, [operation]);
    else same.push(operation);
  }
  return [...kinds.values()];
}

function callOf(unknown: readonly (readonly Operation[])[], kind: number): Call {
  const [one] = unknown[kind] as readonly Operation[];
  return (one as Operation).call;
}

function identify({ first, ahead, owed, state }: Configuration): string {
  return `${first} ${ahead.toString(36)}|${owed}|${fingerprint(state)}`;
}

function disagreement(state: State, operation: Operation): string {
  const { answer } = apply(state, operation.call);
  return `${describeOperation(operation)}${answer === operation.answer ? '' : `, but the model says ${answer}`}`;
}

/** Finds the shortest impossible history by bisection: later operations never make an impossible history possible. */
function explain(license: string, operations: readonly Operation[], maxDomains: number): Violation {
  const ends = operations.filter(({ answer }) => answer !== undefined).toSorted((one, other) => one.end - other.end);
  const isImpossible = (ended: number) =>
    linearize(until(operations, (ends[ended - 1] as Operation).end), newState(maxDomains)).kind === 'impossible';
  let possible = 0;
  let impossible = ends.length;
  while (impossible - possible > 1) {
    const middle = (possible + impossible) >> 1;
    if (isImpossible(middle)) impossible = middle;
    else possible = middle;
  }
  const culprit = ends[impossible - 1] as Operation;
  const prefix = until(operations, culprit.end);
  const result = linearize(prefix, newState(maxDomains));
  const before = prefix.toSorted((one, other) => one.end - other.end).filter((one) => one !== culprit);
  const inFlight = before.filter(({ answer }) => answer === undefined).slice(-10);
  const report = [
    `${license}: after ${impossible} of ${ends.length} answers no order explains`,
    `  ${describeOperation(culprit)}`,
    'The answers before it:',
    ...before
      .filter(({ answer }) => answer !== undefined)
      .slice(-15)
      .map((one) => `  ${describeOperation(one)}`),
    ...(inFlight.length > 0 ? ['In flight or unknown:', ...inFlight.map((one) => `  ${describeOperation(one)}`)] : []),
    'The model gets no further than:',
    ...(result.kind === 'impossible' ? [...result.furthest] : []).flatMap(([state, said]) => [
      `  ${state}`,
      ...said.map((line) => `    ${line}`),
    ]),
  ].join('\n');
  return { license, ended: impossible, culprit, report };
}

/** The history as it was known at a time. Calls that had not ended were in flight. */
function until(operations: readonly Operation[], time: number): Operation[] {
  return operations
    .filter(({ start }) => start <= time)
    .map((one) => (one.end <= time ? one : { ...one, answer: undefined, end: Number.POSITIVE_INFINITY }));
}
