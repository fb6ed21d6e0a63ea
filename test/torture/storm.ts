import { longestOverlap } from '../../core/licensing/move.ts';
import { checkHistory, type Violation } from './checker.ts';
import { type Call, type Op, type Operation, observe } from './history.ts';
import type { House } from './house.ts';
import { pick, pickWeighted, randomOf } from './random.ts';

export type Blow = 'kill' | 'cut' | 'hold' | 'redis';

/** The settings of a run. */
export interface Storm {
  readonly seed: number;
  readonly processes: number;
  /** Licenses in use at the same time. `clients` clients call each of them without a pause. */
  readonly licenses: number;
  readonly clients: number;
  /** Calls to a license before it is checked and replaced by another. */
  readonly calls: number;
  readonly blows: readonly Blow[];
  /** Calls between two blows: `atLeast`, plus a random number below `more`. */
  readonly calm: { readonly atLeast: number; readonly more: number };
  continues(figures: Figures): boolean;
}

export interface Figures {
  readonly operations: number;
  readonly byOp: Readonly<Record<Op, number>>;
  readonly refused: number;
  readonly unknown: number;
  readonly neverSent: number;
  readonly licenses: number;
  readonly kills: number;
  readonly cuts: number;
  readonly cutConnections: number;
  readonly holds: number;
  readonly redisKills: number;
  readonly seconds: number;
  /** The time of all checks, and of the longest, in milliseconds. */
  readonly checked: number;
  readonly longestCheck: number;
  readonly violations: readonly Violation[];
  readonly undecided: readonly string[];
}

/** If no process is alive, calls go to this address, and are never sent. */
const nowhere = 'http://127.0.0.1:9';

const domains = ['a.example', 'b.example', 'c.example'] as const;
const maxDomains = 2;

const frequencies: Record<Op, number> = {
  verify: 40,
  activate: 22,
  deactivate: 14,
  move: 9,
  status: 16,
  suspend: 1.5,
  reinstate: 6,
  renew: 1,
  revoke: 0.15,
};

/** The number of calls that are answered while the domains of a license are locked. */
const heldFor = 300;

/** The run ends after this number. */
const enoughViolations = 3;

/** Half of all moves have an overlap, which does not end during the test. */
function callOf(op: Op, random: () => number): Call {
  const domain = pick(random, domains);
  switch (op) {
    case 'move':
      return { op, domain, to: pick(random, domains), overlap: random() < 0.5 ? 0 : longestOverlap };
    case 'activate':
    case 'deactivate':
    case 'verify':
      return { op, domain };
    case 'status':
    case 'suspend':
    case 'reinstate':
    case 'revoke':
    case 'renew':
      return { op };
  }
}

/** Runs for the given time, or until enough errors are found. Waits for all calls. */
export async function runStorm(house: House, storm: Storm): Promise<Figures> {
  const byOp: Record<Op, number> = {
    verify: 0,
    activate: 0,
    deactivate: 0,
    move: 0,
    status: 0,
    suspend: 0,
    reinstate: 0,
    renew: 0,
    revoke: 0,
  };
  const begin = performance.now();
  const violations: Violation[] = [];
  const undecided: string[] = [];
  const figures = {
    operations: 0,
    byOp,
    refused: 0,
    unknown: 0,
    neverSent: 0,
    licenses: 0,
    kills: 0,
    cuts: 0,
    cutConnections: 0,
    holds: 0,
    redisKills: 0,
    seconds: 0,
    checked: 0,
    longestCheck: 0,
    violations,
    undecided,
  };
  let isOver = false;
  let waiting: { readonly at: number; readonly go: () => void }[] = [];
  const continues = () => {
    figures.seconds = (performance.now() - begin) / 1000;
    const ended = violations.length >= enoughViolations || house.faults.length > 0 || !storm.continues(figures);
    isOver ||= ended;
    wake();
    return !isOver;
  };
  const wake = () => {
    for (const { go } of waiting.filter(({ at }) => isOver || at <= figures.operations)) go();
    waiting = waiting.filter(({ at }) => !isOver && at > figures.operations);
  };
  const calls = (count: number) =>
    new Promise<void>((go) => {
      waiting.push({ at: figures.operations + count, go });
      wake();
    });

  async function act(client: string, license: string, call: Call, url: string, history: Operation[]): Promise<void> {
    const operation = await observe(client, license, call, (call) =>
      call.op === 'move' ||
      call.op === 'suspend' ||
      call.op === 'reinstate' ||
      call.op === 'revoke' ||
      call.op === 'renew'
        ? house.change(license, call)
        : house.call(url, license, call),
    );
    if (operation === undefined) {
      figures.neverSent++;
      return;
    }
    history.push(operation);
    figures.operations++;
    byOp[call.op]++;
    if (operation.answer === undefined) figures.unknown++;
    else if (operation.answer !== 'ok' && call.op !== 'status') figures.refused++;
  }

  async function useLicenses(slot: number): Promise<void> {
    const random = randomOf(storm.seed * 1_000 + slot);
    while (continues()) {
      const [license] = await house.issue(1, maxDomains);
      if (license === undefined) throw new Error('No license was issued.');
      const history: Operation[] = [];
      let left = storm.calls;
      await Promise.all(
        Array.from({ length: storm.clients }, async (_, client) => {
          while (left > 0 && continues()) {
            const op = pickWeighted(random, frequencies);
            const call = callOf(op, random);
            const urls = house.urls();
            left--;
            await act(`${slot}.${client}`, license, call, pick(random, urls) ?? nowhere, history);
          }
        }),
      );
      for (const url of house.urls()) await act(`${slot}.last`, license, { op: 'status' }, url, history);
      const start = performance.now();
      const judgement = checkHistory(history, maxDomains);
      const took = performance.now() - start;
      figures.licenses++;
      figures.checked += took;
      figures.longestCheck = Math.max(figures.longestCheck, took);
      violations.push(...judgement.violations);
      undecided.push(...judgement.undecided);
    }
  }

  async function strike(): Promise<void> {
    const random = randomOf(storm.seed);
    if (storm.blows.length === 0) return;
    for (let count = 0; continues(); count++) {
      await calls(storm.calm.atLeast + Math.floor(random() * storm.calm.more));
      if (!continues()) return;
      switch (storm.blows[count % storm.blows.length] as Blow) {
        case 'kill':
          figures.kills++;
          await house.kill(Math.floor(random() * storm.processes));
          break;
        case 'cut':
          figures.cuts++;
          figures.cutConnections += await house.cut();
          break;
        case 'hold':
          figures.holds++;
          await house.hold(() => calls(heldFor));
          break;
        case 'redis':
          figures.redisKills++;
          await house.restartRedis();
          break;
      }
    }
  }

  const all = await Promise.allSettled(
    [strike(), ...Array.from({ length: storm.licenses }, (_, slot) => useLicenses(slot))].map((task) =>
      task.catch((error) => {
        isOver = true;
        wake();
        throw error;
      }),
    ),
  );
  for (const result of all) if (result.status === 'rejected') throw result.reason;
  figures.seconds = (performance.now() - begin) / 1000;
  return figures;
}
