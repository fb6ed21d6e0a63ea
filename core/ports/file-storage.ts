import type { Abort } from '../abort.ts';
import type { Instant } from './clock.ts';

/** Stores files under keys that this service generates. No key comes from a client. If `stop` is aborted, the work ends soon. */
export interface FileStorage {
  /**
   * Moves a local file into the storage. When the promise resolves, the file is durable. Until then, and if the call
   * fails, nothing is visible under the key. Throws `NothingStored` if the storage is unavailable and nothing was sent,
   * so that nothing needs to be deleted.
   */
  put(key: string, path: string): Promise<void>;
  /** Does nothing if the file does not exist. A stopped call may throw, and the file may or may not be deleted then. */
  delete(key: string, stop?: Abort): Promise<void>;
  /** A stopped call may throw. */
  has(key: string, stop?: Abort): Promise<boolean>;
  /** Returns the bytes of a file in chunks. If the file does not exist, reading the first chunk throws. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** Returns an absolute URL that serves the file until a time. Browsers save the file as `filename`. */
  link(key: string, filename: string, until: Instant): Promise<string>;
  /**
   * Returns the keys under a prefix (`uploads/`) that were stored before a time. If it is stopped, it just ends early.
   */
  storedBefore(prefix: string, time: Instant, stop?: Abort): AsyncIterable<string>;
}
