import { expect } from 'chai';
import fc from 'fast-check';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { checkHistory } from './checker.ts';
import type { Call, Operation } from './history.ts';
import { apply, newState, type State } from './model.ts';

const limit = 2;
const domains = ['a.com', 'b.com', 'c.com'];

const anyCall: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('activate' as const, 'verify' as const, 'verify' as const, 'deactivate' as const),
      domain: fc.constantFrom(...domains),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('move' as const),
      domain: fc.constantFrom(...domains),
      to: fc.constantFrom(...domains),
      overlap: fc.constantFrom(0, 72),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ op: 'status' as const }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Call>(
      { op: 'suspend' },
      { op: 'reinstate' },
      { op: 'reinstate' },
      { op: 'renew' },
      { op: 'revoke' },
    ),
  },
);

function operation(call: Call, answer: string | undefined, start: number, end: number): Operation {
  return {
    client: 'someone',
    license: 'L',
    call,
    answer,
    start,
    end: answer === undefined ? Number.POSITIVE_INFINITY : end,
  };
}

/** A run of the model: one call per unit of time. */
function run(calls: readonly Call[]): Operation[] {
  let state = newState(limit);
  return calls.map((call, index) => {
    const step = apply(state, call);
    state = step.state;
    return operation(call, step.answer, index, index + 0.5);
  });
}

const activate = (domain: string): Call => ({ op: 'activate', domain });
const deactivate = (domain: string): Call => ({ op: 'deactivate', domain });
const verify = (domain: string): Call => ({ op: 'verify', domain });
const status: Call = { op: 'status' };

/** Calls one after the other, with these answers. */
const sequence = (...calls: readonly (readonly [Call, string | undefined])[]) =>
  calls.map(([call, answer], index) => operation(call, answer, index, index + 0.5));

const isAccepted = (history: readonly Operation[]) => {
  const { violations, undecided } = checkHistory(history, limit);
  expect(undecided).to.be.empty;
  return violations.length === 0;
};

describe('the history checker', () => {
  it('accepts any run of the model with any overlapping calls', () => {
    const widened = fc.array(fc.tuple(anyCall, fc.nat(30), fc.nat(30)), { maxLength: 60 });
    fc.assert(
      fc.property(widened, (calls) => {
        const history = run(calls.map(([call]) => call)).map((one, index) => {
          const [, before, after] = calls[index] ?? [undefined, 0, 0];
          return { ...one, start: one.start - before / 10, end: one.end + after / 10 };
        });
        expect(isAccepted(history)).to.equal(true);
      }),
      { numRuns: runs(150) },
    );
  });

  it('accepts any run of the model with lost answers, whether or not the calls took effect', () => {
    const fate = fc.constantFrom('answered', 'answered', 'answered', 'lost', 'never done', 'done later');
    const calls = fc.array(fc.tuple(anyCall, fate, fc.nat(20), fc.nat(20)), { maxLength: 50 });
    fc.assert(
      fc.property(calls, (all) => {
        const done = all.map(([call, fate], index) => ({
          call,
          fate,
          index,
          at: index + (fate === 'done later' ? 7 : 0),
        }));
        let state = newState(limit);
        const history: Operation[] = [];
        for (const { call, fate, index, at } of done.toSorted((one, other) => one.at - other.at)) {
          const step = fate === 'never done' ? { state, answer: '' } : apply(state, call);
          state = step.state;
          const [, , before, after] = all[index] ?? [undefined, undefined, 0, 0];
          const answer = fate === 'answered' ? step.answer : undefined;
          history.push(operation(call, answer, index - before / 10, at + 0.5 + after / 10));
        }
        expect(isAccepted(history)).to.equal(true);
      }),
      { numRuns: runs(150) },
    );
  });

  itLong('gives the same result for small histories as trying every order', () => {
    const answers = ['ok', 'ok', 'suspended', 'invalid_domain', 'domain_limit_reached', 'domain_not_found'];
    const small = fc.array(
      fc.record({
        call: anyCall,
        start: fc.nat(12),
        lasts: fc.nat(8),
        mutation: fc.constantFrom('none', 'none', 'none', 'none', 'lost', 'other answer', 'moved'),
        other: fc.constantFrom(...answers),
      }),
      { minLength: 1, maxLength: 6 },
    );
    let rejected = 0;
    fc.assert(
      fc.property(small, (parts) => {
        const ordered = run(parts.map(({ call }) => call));
        const history = parts.map(({ call, start, lasts, mutation, other }, index) => {
          const { answer } = ordered[index] as Operation;
          const begin = mutation === 'moved' ? start : index * 2 - lasts / 2;
          const given = mutation === 'lost' ? undefined : mutation === 'other answer' ? other : answer;
          return operation(call, given, begin, begin + lasts + 0.5);
        });
        const expected = someOrderExplains(history, newState(limit));
        if (!expected) rejected++;
        expect(isAccepted(history)).to.equal(expected);
      }),
      { numRuns: runs(1500) },
    );
    expect(rejected).to.be.greaterThan(runs(1500) / 30);
  });

  describe('rejects', () => {
    const planted: Record<string, Operation[]> = {
      'a lost count': sequence(
        [activate('a.com'), 'ok'],
        [verify('a.com'), 'ok'],
        [verify('a.com'), 'ok'],
        [status, 'active 1/2 total 1 [a.com:1]'],
      ),
      'a count without a verification': sequence([activate('a.com'), 'ok'], [status, 'active 1/2 total 1 [a.com:1]']),
      'a count lost with its domain': sequence(
        [activate('a.com'), 'ok'],
        [verify('a.com'), 'ok'],
        [deactivate('a.com'), 'ok'],
        [status, 'active 0/2 total 0 []'],
      ),
      'an activation over the limit': [
        operation(activate('a.com'), 'ok', 0, 5),
        operation(activate('b.com'), 'ok', 1, 6),
        operation(activate('c.com'), 'ok', 2, 7),
      ],
      'an activation that is refused although a slot is free': sequence(
        [activate('a.com'), 'ok'],
        [activate('b.com'), 'domain_limit_reached'],
      ),
      'a verification that is valid after the deactivation has returned': sequence(
        [activate('a.com'), 'ok'],
        [deactivate('a.com'), 'ok'],
        [verify('a.com'), 'ok'],
      ),
      'a verification that is valid after the suspension has returned': sequence(
        [activate('a.com'), 'ok'],
        [{ op: 'suspend' }, 'ok'],
        [verify('a.com'), 'ok'],
      ),
      'a stale status': sequence(
        [activate('a.com'), 'ok'],
        [activate('b.com'), 'ok'],
        [status, 'active 1/2 total 0 [a.com:0]'],
      ),
      'a status that is older than an earlier status': [
        operation(activate('a.com'), 'ok', 0, 10),
        operation(status, 'active 1/2 total 0 [a.com:0]', 1, 2),
        operation(status, 'active 0/2 total 0 []', 3, 4),
      ],
      'domains in the wrong order': sequence(
        [activate('a.com'), 'ok'],
        [activate('b.com'), 'ok'],
        [status, 'active 2/2 total 0 [a.com:0 b.com:0]'],
      ),
      'two suspensions without a reinstatement between them': [
        operation({ op: 'suspend' }, 'ok', 0, 5),
        operation({ op: 'suspend' }, 'ok', 1, 6),
      ],
      'a revoked license that becomes active again': sequence(
        [{ op: 'revoke' }, 'ok'],
        [{ op: 'reinstate' }, 'transition_not_allowed'],
        [activate('a.com'), 'ok'],
      ),
      'an unknown verification that counts twice': sequence(
        [activate('a.com'), 'ok'],
        [verify('a.com'), undefined],
        [status, 'active 1/2 total 2 [a.com:2]'],
      ),
      'an unknown verification that was counted and then was not': sequence(
        [activate('a.com'), 'ok'],
        [verify('a.com'), undefined],
        [status, 'active 1/2 total 1 [a.com:1]'],
        [status, 'active 1/2 total 0 [a.com:0]'],
      ),
      'an unknown activation that takes effect before it was sent': sequence(
        [status, 'active 1/2 total 0 [a.com:0]'],
        [activate('a.com'), undefined],
      ),
      'an unknown deactivation that takes effect twice': sequence(
        [activate('a.com'), 'ok'],
        [deactivate('a.com'), undefined],
        [verify('a.com'), 'invalid_domain'],
        [activate('a.com'), 'ok'],
        [verify('a.com'), 'invalid_domain'],
      ),
      'an answer that no rule can give': sequence([activate('a.com'), 'invalid_key']),
    };
    for (const [name, history] of Object.entries(planted)) {
      it(name, () => {
        expect(isAccepted(history)).to.equal(false);
      });
    }
  });

  it('accepts lost calls that took effect once, late, or not at all', () => {
    const begin: [Call, string | undefined][] = [
      [activate('a.com'), 'ok'],
      [verify('a.com'), undefined],
      [deactivate('a.com'), undefined],
    ];
    const went: [Call, string][][] = [
      [[status, 'active 1/2 total 0 [a.com:0]']],
      [[status, 'active 1/2 total 1 [a.com:1]']],
      [[status, 'active 0/2 total 0 []']],
      [[status, 'active 0/2 total 1 []']],
      [
        [status, 'active 1/2 total 0 [a.com:0]'],
        [verify('a.com'), 'ok'],
        [status, 'active 0/2 total 2 []'],
        [activate('a.com'), 'ok'],
        [verify('a.com'), 'ok'],
        [status, 'active 1/2 total 3 [a.com:1]'],
      ],
    ];
    for (const after of went) expect(isAccepted(sequence(...begin, ...after))).to.equal(true);
  });

  itLong('reports the first wrong answer and the operations before it', () => {
    const good = run(
      Array.from({ length: 300 }, (_, index) => [activate('a.com'), verify('a.com'), status][index % 3] ?? status),
    );
    const history = good.map((one, index) =>
      index === 200 ? { ...one, answer: 'active 1/2 total 9 [a.com:9]' } : one,
    );
    const { violations } = checkHistory([...history, ...good.map((one) => ({ ...one, license: 'another' }))], limit);
    expect(violations).to.have.length(1);
    expect(violations[0]).to.include({ license: 'L', ended: 201, culprit: history[200] });
    expect(violations[0]?.report).to.include('active 1/2 total 9').and.include('the model says active 1/2 total 67');
  });

  itLong('checks thousands of concurrent calls, some of them lost', () => {
    const histories = Array.from({ length: 20 }, (_, seed) => concurrentRun(seed, 200));
    for (const history of histories) expect(isAccepted(history)).to.equal(true);
    for (const history of histories.slice(0, 3)) {
      const last = history.findLast(({ call, answer }) => call.op === 'status' && answer !== undefined);
      const wrong = last?.answer?.replace(/total \d+/, 'total 100000');
      expect(isAccepted(history.map((one) => (one === last ? { ...one, answer: wrong } : one)))).to.equal(false);
    }
  });
});

/** Whether some order of all answered calls and any of the lost ones, within their times, is a run of the model. */
function someOrderExplains(left: readonly Operation[], state: State): boolean {
  if (left.every(({ answer }) => answer === undefined)) return true;
  const firstEnd = Math.min(...left.map(({ end }) => end));
  return left.some((one, index) => {
    if (one.start > firstEnd) return false;
    const step = apply(state, one.call);
    return (
      (one.answer === undefined || one.answer === step.answer) &&
      someOrderExplains(left.toSpliced(index, 1), step.state)
    );
  });
}

/** Four clients call one license at once. One of twenty answers is lost; half of those calls had no effect. */
function concurrentRun(seed: number, length: number): Operation[] {
  const random = randomOf(seed);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  let state = newState(limit);
  const free = [0, 0, 0, 0];
  const history: Operation[] = [];
  let at = 0;
  for (let index = 0; index < length; index++) {
    const client = free.indexOf(Math.min(...free));
    at = Math.max(at, free[client] ?? 0) + random() / 2;
    const call = pick<Call>([
      activate(pick(domains)),
      verify(pick(domains)),
      verify(pick(domains)),
      deactivate(pick(domains)),
      status,
      pick<Call>([{ op: 'suspend' }, { op: 'reinstate' }, { op: 'reinstate' }, { op: 'reinstate' }]),
    ]);
    const isLost = index % 20 === 19;
    const step = isLost && random() < 0.5 ? { state, answer: '' } : apply(state, call);
    state = step.state;
    const end = at + random() * 3;
    free[client] = end;
    history.push(operation(call, isLost ? undefined : step.answer, at - random() * 0.2, end));
  }
  return history;
}

/** Returns a generator of numbers from 0 to 1, which depend only on the seed. */
function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
