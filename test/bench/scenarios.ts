import { randomOf, shuffled } from '../torture/random.ts';
import type { Binding } from './seed.ts';

/** A request, and what a right answer to it looks like. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON, with POST only. */
  readonly body?: string;
  readonly status: number;
  /** What the body of the answer begins with. */
  readonly answer: string;
}

/** Requests that are asked in their order, over and over. */
export interface Scenario {
  readonly length: number;
  /** Each load begins at a multiple of this. */
  readonly group: number;
  ask(index: number): Ask;
  /** The part of the answers that tell a license to be valid. */
  readonly valid: number;
  /** Where the last load ended: the next one goes on from there. */
  place: number;
}

type Expected = Pick<Ask, 'status' | 'answer'>;

const valid: Expected = { status: 200, answer: '{"valid":true' };
const changed: Expected = { status: 200, answer: '{"success":true' };
const unknown: Expected = { status: 404, answer: '{"valid":false,"error":"invalid_key"' };
const foreign: Expected = { status: 200, answer: '{"valid":false,"error":"invalid_domain"' };
const expired: Expected = { status: 200, answer: '{"valid":false,"error":"expired"' };

/** Each license as often as any other, in an order of chance. */
export const verifying = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, valid);

/** Keys that nobody issued. */
export const unknownKeys = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, unknown);

/** Domains that are not activated on their licenses. */
export const foreignDomains = (bindings: readonly Binding[], seed: number) =>
  asking(
    bindings.map(({ key, domain }) => ({ key, domain: `foreign.${domain}` })),
    seed,
    foreign,
  );

export const expiredLicenses = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, expired);

/** Domains that are bound, and then freed. Between the two lie ten times as many calls as connections, so both never overlap. */
const changesAtOnce = 100;

/** One of ten binds or frees a second domain. */
export function mixed(bindings: readonly Binding[], seed: number): Scenario {
  const verifications = verifying(bindings, seed);
  const group = 10 * 2 * changesAtOnce;
  return {
    length: Math.ceil(bindings.length / changesAtOnce) * group,
    group,
    valid: 0.9,
    place: 0,
    ask(index) {
      const change = Math.floor(index / 10);
      if (index % 10 !== 9) return verifications.ask((index - change) % bindings.length);
      const turn = Math.floor(change / changesAtOnce);
      const binding = Math.floor(turn / 2) * changesAtOnce + (change % changesAtOnce);
      return post(turn % 2 === 0 ? '/activate' : '/deactivate', bindings[binding % bindings.length]);
    },
  };
}

function asking(bindings: readonly Binding[], seed: number, expected: Expected): Scenario {
  const order = shuffled(bindings, randomOf(seed));
  return {
    length: order.length,
    group: 1,
    valid: expected === valid ? 1 : 0,
    place: 0,
    ask(index) {
      const binding = order[index];
      const path = `/verify?license_key=${binding?.key}&domain=${binding?.domain}`;
      return { method: 'GET', path, ...expected };
    },
  };
}

function post(path: string, binding: Binding | undefined): Ask {
  const body = JSON.stringify({ license_key: binding?.key, domain: `more.${binding?.domain}` });
  return { method: 'POST', path, body, ...changed };
}
