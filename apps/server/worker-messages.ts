/** What the primary tells a worker. */
export const toWorker = {
  /** Take this connection. It is sent with the message. */
  connection: 'connection',
  /** Report that you are not ready, and close each connection after its next response. */
  drain: 'drain',
  /** Finish the requests in flight, and end. No connection comes any more. */
  end: 'end',
} as const;

/** What a worker tells the primary. */
export const fromWorker = {
  /** I can take connections now. */
  ready: 'ready',
  /** I have the connection. */
  took: 'took',
} as const;
