import type { Instant } from './clock.ts';

/** Files under keys that this service made. No key comes from a client. */
export interface FileStorage {
  /**
   * Stores the file that lies at a path of this machine, and takes it away from there. When the promise resolves it is
   * durable; until then, and where it is refused, nothing shows under the key.
   */
  put(key: string, path: string): Promise<void>;
  /** Does nothing where there is no such file. */
  delete(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** The bytes of a file, piece by piece. Throws, when the first is asked for, where there is no such file. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** An absolute URL that answers the file, to be saved as `filename`, until the time given. */
  link(key: string, filename: string, until: Instant): Promise<string>;
  /** The keys under a prefix (`uploads/`) that were stored before a time. */
  storedBefore(prefix: string, time: Instant): AsyncIterable<string>;
}
