import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ClientAddress } from './client-address.ts';

/**
 * Starts one request in each turn of the event loop, and takes the client addresses in turn. So thousands of requests
 * that arrive at once neither delay what does not wait here, such as verifications, nor those of other clients. A
 * request whose connection closes meanwhile is never started.
 */
export function inTurns(listener: RequestListener, clientAddress: ClientAddress): RequestListener {
  const waiting = new Map<string, (readonly [IncomingMessage, ServerResponse])[]>();

  function startNext(): void {
    for (const [address, requests] of waiting) {
      waiting.delete(address);
      const next = requests.shift();
      if (requests.length > 0) waiting.set(address, requests); // Now it is the last.
      if (next === undefined || next[0].socket.destroyed) continue;
      if (waiting.size > 0) setImmediate(startNext);
      listener(...next);
      return;
    }
  }

  return (request, response) => {
    if (waiting.size === 0) setImmediate(startNext);
    const address = clientAddress(request);
    const requests = waiting.get(address);
    if (requests) requests.push([request, response]);
    else waiting.set(address, [[request, response]]);
  };
}
