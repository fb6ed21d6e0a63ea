import { randomOf, shuffled } from '../torture/random.ts';
import type { Binding } from './seed.ts';

/** A request, and its expected answer. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Besides `Host` and those of the body. The default is to accept JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, only for POST. */
  readonly body?: string;
  readonly status: number;
  /** The start of the answer's body. */
  readonly answer: string;
}

/** A list of requests, which are sent in order and repeated. */
export interface Scenario {
  readonly length: number;
  /** Each load begins at a multiple of this number. */
  readonly group: number;
  ask(index: number): Ask;
  /** The share of answers that may be refusals, because a call depends on an earlier one that may be lost. The default is 0. */
  readonly lost?: number;
  /** The share of valid answers. */
  readonly valid: number;
  /** The position at which the last load ended. The next one continues there. */
  place: number;
}

type Expected = Pick<Ask, 'status' | 'answer'>;

const valid: Expected = { status: 200, answer: '{"valid":true' };
const changed: Expected = { status: 200, answer: '{"success":true' };
const unknown: Expected = { status: 404, answer: '{"valid":false,"error":"invalid_key"' };
const foreign: Expected = { status: 200, answer: '{"valid":false,"error":"invalid_domain"' };
const expired: Expected = { status: 200, answer: '{"valid":false,"error":"expired"' };

/** Each license is as frequent as any other, in a random order. */
export const verifying = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, valid);

/** Keys that do not exist. */
export const unknownKeys = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, unknown);

/** Domains that are not activated for their licenses. */
export const foreignDomains = (bindings: readonly Binding[], seed: number) =>
  asking(
    bindings.map(({ key, domain }) => ({ key, domain: `foreign.${domain}` })),
    seed,
    foreign,
  );

export const expiredLicenses = (bindings: readonly Binding[], seed: number) => asking(bindings, seed, expired);

/**
 * Activates and deactivates a second domain of each license. `atOnce` domains are activated before they are deactivated: so
 * many calls lie in between that the two calls for one domain never overlap.
 */
export function changing(bindings: readonly Binding[], atOnce = 1_000): Scenario {
  const group = 2 * atOnce;
  return {
    length: Math.ceil(bindings.length / atOnce) * group,
    group,
    lost: 0.005,
    valid: 0,
    place: 0,
    ask(index) {
      const turn = Math.floor(index / atOnce);
      const binding = Math.floor(turn / 2) * atOnce + (index % atOnce);
      return post(turn % 2 === 0 ? '/activate' : '/deactivate', bindings[binding % bindings.length]);
    },
  };
}

/** One call in ten activates or deactivates a second domain. */
export function mixed(bindings: readonly Binding[], seed: number): Scenario {
  const verifications = verifying(bindings, seed);
  const changes = changing(bindings, 100);
  return {
    length: 10 * changes.length,
    group: 10 * changes.group,
    valid: 0.9,
    place: 0,
    ask(index) {
      const change = Math.floor(index / 10);
      return index % 10 === 9 ? changes.ask(change) : verifications.ask((index - change) % bindings.length);
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
