import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import type { Logger } from 'pino';
import { isAborted, isSilence, silent } from './errors.ts';

/** Sends requests, unless the server is left alone. */
export type Patience = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * Leaves a server alone for a pause (in milliseconds) when it was silent for too long: until then requests fail at once, so that
 * nobody waits twice. Then one is sent, and the others go on failing until it is answered.
 */
export function createPatience(pause: number, log?: Pick<Logger, 'warn'>): Patience {
  const breaker = circuitBreaker(
    // If the caller gave up early, that is no sign of silence. But it is no proof either that the server answers again.
    handleWhen((error) => isSilence(error) || (breaker.state === CircuitState.HalfOpen && isAborted(error))),
    { breaker: new ConsecutiveBreaker(1), halfOpenAfter: pause },
  );
  breaker.onBreak(() => log?.warn({ pause }, 'the file storage is silent, and is left alone'));

  return async (send) => {
    // Left to itself, the breaker would let all others wait for the one request that is tried.
    if (breaker.state === CircuitState.HalfOpen) throw leftAlone();
    try {
      return await breaker.execute(send);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? leftAlone() : error;
    }
  };
}

function leftAlone(): Error {
  return silent('It was silent a moment ago, and is left alone.');
}
