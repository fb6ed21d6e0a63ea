import type { Abort } from '../abort.ts';
import type { WebhookQueue } from '../ports/webhook-queue.ts';
import { type EndpointTurn, lease, startTurn, type TurnPorts, type TurnReports } from './endpoint-turn.ts';

/** The most endpoints that a process sends to at the same time, without those whose receivers are slow. */
const places = 64;
/** The most endpoints at the same time, slow ones included. */
const mostTurns = 512;

/** Delivers due events to their endpoints. */
export interface Dispatcher {
  /**
   * Stores the results that could not be stored before, adds some deliveries of large changes, claims endpoints for all free
   * places and starts to send. Returns whether more may be due now.
   */
  take(): Promise<boolean>;
  /** Starts no more attempts, and resolves when those that run have ended and everything is stored and given back. */
  end(): Promise<void>;
  /** Resolves when all that was started has ended. */
  idle(): Promise<void>;
}

export interface DispatcherPorts extends TurnPorts {
  readonly queue: WebhookQueue;
}

/** `freed` is called when a place is free again. `stop` breaks off running attempts. These do not count. */
export function createDispatcher(
  ports: DispatcherPorts,
  { stop, freed = () => undefined, ...reports }: TurnReports & { readonly stop: Abort; freed?(): void },
): Dispatcher {
  const { queue, clock } = ports;
  const turns = new Set<EndpointTurn>();
  let isEnding = false;

  /** If it fails, what was added already is sent all the same. */
  const spread = () =>
    queue.spread().catch((error: unknown) => {
      reports.failed(error);
      return false;
    });
  const idle = async () => {
    await Promise.all([...turns].map(({ ended }) => ended));
  };
  return {
    async take() {
      for (const turn of turns) turn.retry();
      const isSpreading = !isEnding && (await spread());
      const now = clock.now();
      const quick = [...turns].filter((turn) => !turn.isSlow(now)).length;
      const most = Math.min(places - quick, mostTurns - turns.size);
      if (isEnding || most <= 0) return isSpreading;
      const claimed = await queue.claim({ now, until: now + lease, most });
      for (const one of claimed) {
        const turn = startTurn(one, ports, stop, reports);
        turns.add(turn);
        turn.ended.then(() => {
          turns.delete(turn);
          freed();
        });
        if (isEnding) turn.end();
      }
      return isSpreading || claimed.length === most;
    },
    async end() {
      isEnding = true;
      for (const turn of turns) turn.end();
      await idle();
    },
    idle,
  };
}
