/** Bytes of responses that wait until their clients read: counted by connection, by client address and in all. */
export interface Unread<Connection> {
  /**
   * Sets the bytes that wait on a connection. `addressOf` is called if there were none before. Returns whether its
   * address had its share until now and has it no longer.
   */
  set(connection: Connection, bytes: number, addressOf: () => string): boolean;
  /** Whether bytes of this connection wait. */
  has(connection: Connection): boolean;
  /** Whether any address has its share of the limit. */
  isAnyFull(): boolean;
  /** Whether this address has its share of the limit. */
  isFull(address: string): boolean;
  /** If there are more bytes than the limit, returns the connections of the address with the most. */
  tooMany(): Iterable<Connection> | undefined;
}

/** `limit` is for all bytes together, `share` for those of one address. */
export function createUnread<Connection>(limit: number, share: number): Unread<Connection> {
  const addresses = new Map<Connection, string>();
  const byAddress = new Map<string, { total: number; readonly waiting: Map<Connection, number> }>();
  let total = 0;
  let full = 0;
  return {
    set(connection, bytes, addressOf) {
      const known = addresses.get(connection);
      if (known === undefined && bytes === 0) return false;
      const address = known ?? addressOf();
      const counted = byAddress.get(address) ?? { total: 0, waiting: new Map<Connection, number>() };
      const more = bytes - (counted.waiting.get(connection) ?? 0);
      const wasFull = counted.total >= share;
      counted.total += more;
      total += more;
      if (bytes > 0) {
        addresses.set(connection, address);
        byAddress.set(address, counted);
        counted.waiting.set(connection, bytes);
      } else {
        addresses.delete(connection);
        counted.waiting.delete(connection);
        if (counted.waiting.size === 0) byAddress.delete(address);
      }
      const isFull = counted.total >= share;
      if (isFull !== wasFull) full += isFull ? 1 : -1;
      return wasFull && !isFull;
    },
    has: (connection) => addresses.has(connection),
    isAnyFull: () => full > 0,
    isFull: (address) => (byAddress.get(address)?.total ?? 0) >= share,
    tooMany() {
      if (total <= limit) return undefined;
      let most: { readonly total: number; readonly waiting: Map<Connection, number> } | undefined;
      for (const one of byAddress.values()) if (most === undefined || one.total > most.total) most = one;
      return most?.waiting.keys();
    },
  };
}
