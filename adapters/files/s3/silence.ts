import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import type { Logger } from 'pino';
import { isAborted, isSilence, silent } from './errors.ts';

/** Sends a request, or fails at once during the pause. */
export type SilenceBreaker = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * After a request without a timely response, all requests fail at once during a pause (in milliseconds), so that nobody
 * waits for a second timeout. Then one request is sent. The others fail until the server responds to it.
 */
export function createSilenceBreaker(pause: number, log?: Pick<Logger, 'warn'>): SilenceBreaker {
  const breaker = circuitBreaker(
    // A request that the caller aborted does not start a pause. But it must not end one either.
    handleWhen((error) => isSilence(error) || (breaker.state === CircuitState.HalfOpen && isAborted(error))),
    { breaker: new ConsecutiveBreaker(1), halfOpenAfter: pause },
  );
  breaker.onBreak(() => log?.warn({ pause }, 'the file storage does not respond: no requests during the pause'));

  return async (send) => {
    // Without this line, the breaker would make all other requests wait for the single trial request.
    if (breaker.state === CircuitState.HalfOpen) throw paused();
    try {
      return await breaker.execute(send);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? paused() : error;
    }
  };
}

function paused(): Error {
  return silent('An earlier request got no response, so no request is sent at the moment.');
}
