import type { Abort } from '../abort.ts';
import type { DeliveryId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { DueDelivery, SettledDelivery, Turn, WebhookQueue } from '../ports/webhook-queue.ts';
import type { SendWebhook } from '../ports/webhook-sender.ts';
import { afterAttempt, inFlight, patience } from './delivery.ts';
import type { Endpoint, SealedSecret } from './endpoint.ts';
import { afterAttempts } from './health.ts';
import type { TellOwner } from './health-letters.ts';

/** How long a turn belongs to a process, in milliseconds. */
export const lease = 120_000;
/**
 * Milliseconds after which a turn starts no more attempts, and ends. Then other endpoints can go first, and the next turn
 * reads the endpoint again, with the changes that people have made.
 */
export const longestTurn = 10_000;
/** Milliseconds after which a receiver counts as slow. */
const slow = 3_000;
/** Deliveries that are read at once. */
const readAtOnce = 100;

export interface TurnPorts {
  readonly queue: Pick<WebhookQueue, 'due' | 'settle'>;
  readonly send: SendWebhook;
  readonly box: SecretBox;
  readonly tellOwner: TellOwner;
  readonly clock: Clock;
}

export interface TurnReports {
  /** A result was stored. */
  settled(settled: SettledDelivery): void;
  /** Something failed that is not the fault of the receiver. */
  failed(error: unknown): void;
}

/** One process sends to one endpoint. */
export interface EndpointTurn {
  /** Resolves when the turn has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Whether an attempt waits for a slow receiver. */
  isSlow(now: Instant): boolean;
  /** Stores again what could not be stored. */
  retry(): void;
  /** Starts no more attempts. What cannot be stored now is left to the next turn. */
  end(): void;
}

/**
 * Sends what is due for the endpoint, at most `inFlight` at the same time, until nothing is due. Attempts that end while
 * results are stored are stored together. The turn is given back with the last results.
 */
export function startTurn(
  turn: Turn,
  { queue, send, box, tellOwner, clock }: TurnPorts,
  stop: Abort,
  reports: TurnReports,
): EndpointTurn {
  const { endpoint } = turn;
  const startedAt = clock.now();
  const sending = new Map<DeliveryId, { readonly since: Instant; readonly ended: Promise<void> }>();
  let waiting: DueDelivery[] = [];
  let unsettled: SettledDelivery[] = [];
  let { until } = turn;
  let { health } = endpoint;
  let storing: Promise<void> | undefined;
  let state: 'sending' | 'draining' | 'given back' | 'left' = 'sending';
  /** Whether the last read found all that was due. */
  let isDry = false;
  /** Whether its failures have switched the endpoint off. */
  let isOff = false;
  let isStopping = false;
  const opened = new Map<SealedSecret, string>();
  const open = (sealed: SealedSecret) => {
    const secret = opened.get(sealed) ?? box.open(sealed);
    opened.set(sealed, secret);
    return secret;
  };
  const asleep = new Set<() => void>();
  const wake = () => {
    for (const resolve of asleep) resolve();
    asleep.clear();
  };

  const mayStart = () => {
    const now = clock.now();
    return state === 'sending' && now - startedAt < longestTurn && now + patience < until;
  };

  /** Repeats the work with each `retry` until it succeeds. Throws its error when the process stops. */
  async function surely<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        reports.failed(error);
        if (isStopping) throw error;
        await new Promise<void>((resolve) => asleep.add(resolve));
      }
    }
  }

  async function read(): Promise<void> {
    // Collected before the read, which can still return what is stored meanwhile.
    const known = new Set([...sending.keys(), ...unsettled.map(({ delivery }) => delivery.id)]);
    const found = await surely(() => queue.due(turn, clock.now(), readAtOnce));
    isDry = found.length < readAtOnce;
    waiting = found.filter(({ id }) => !known.has(id));
  }

  function start(delivery: DueDelivery): void {
    const since = clock.now();
    const ended = attempt(delivery, since).finally(() => sending.delete(delivery.id));
    sending.set(delivery.id, { since, ended });
  }

  async function attempt(delivery: DueDelivery, at: Instant): Promise<void> {
    try {
      const secrets = secretsOf(endpoint, open, at);
      const message = { url: endpoint.url, id: delivery.eventId, at, secrets, body: delivery.body };
      const attempted = await send(message, stop);
      const now = clock.now();
      const next = afterAttempt(delivery.attempt, attempted, now);
      unsettled = [...unsettled, { delivery, attempted, at: now, next }];
    } catch (error) {
      // It does not count. The endpoint is left alone until the lease ends.
      if (stop.aborted) return;
      reports.failed(error);
      if (state === 'sending') state = 'left';
    }
  }

  async function store(): Promise<void> {
    const isLast = isOver();
    const settled = unsettled;
    const why = settled.findLast(({ attempted: { fault } }) => fault !== null)?.attempted.detail ?? '';
    const isMine = await surely(async () => {
      const judged = afterAttempts(health, settled.map(toSign));
      const now = clock.now();
      const untold = judged.news.filter((one) => one !== 'off' || !isOff);
      const news = await tellOwner(endpoint, untold, why, now);
      const endsNow = untold.includes('off');
      const to = isLast ? undefined : now + lease;
      const isStored = await queue.settle(turn, { settled, health: judged.health, isOff: endsNow, news }, to);
      health = judged.health;
      if (to !== undefined) until = to;
      isOff ||= endsNow;
      if (isOff && state === 'sending') state = 'draining';
      return isStored;
    });
    unsettled = unsettled.filter((one) => !settled.includes(one));
    if (isLast || !isMine) state = 'given back';
    if (isMine) for (const one of settled) reports.settled(one);
  }

  /** Whether nothing runs, and nothing more will be started. */
  function isOver(): boolean {
    return sending.size === 0 && state !== 'left' && (!mayStart() || (isDry && waiting.length === 0));
  }

  async function run(): Promise<void> {
    while (state !== 'given back') {
      if (mayStart() && waiting.length === 0 && !isDry && sending.size < inFlight) await read();
      for (const one of mayStart() ? waiting.splice(0, inFlight - sending.size) : []) start(one);
      if (storing === undefined && (unsettled.length > 0 || isOver())) {
        storing = store().finally(() => {
          storing = undefined;
        });
      }
      const running = [...sending.values()].map(({ ended }) => ended);
      if (storing !== undefined) running.push(storing);
      if (running.length === 0) return;
      await Promise.race(running);
    }
    await Promise.all([...sending.values()].map(({ ended }) => ended));
  }

  return {
    // Its errors were reported.
    ended: run().catch(() => undefined),
    isSlow: (now) => [...sending.values()].some(({ since }) => now - since > slow),
    retry: wake,
    end() {
      isStopping = true;
      state = state === 'given back' ? state : 'draining';
      wake();
    },
  };
}

function secretsOf({ secret, oldSecret }: Endpoint, open: SecretBox['open'], now: Instant): [string, ...string[]] {
  const old = oldSecret !== null && now < oldSecret.until ? [open(oldSecret.secret)] : [];
  return [open(secret), ...old];
}

function toSign({ at, attempted, next }: SettledDelivery) {
  return { at, isSuccess: attempted.fault === null, isFinal: next.state === 'failed' };
}
