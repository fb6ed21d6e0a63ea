import type { Abort } from '../abort.ts';
import type { Instant } from './clock.ts';

/** Files under keys that this service made. No key comes from a client. Work that takes `stop` ends soon when that is aborted. */
export interface FileStorage {
  /**
   * Stores the file that lies at a path of this machine, and takes it away from there. When the promise resolves it is
   * durable; until then, and where it is refused, nothing shows under the key. Throws `NothingStored` if it is out and nothing was begun:
   * then nothing needs to be deleted.
   */
  put(key: string, path: string): Promise<void>;
  /** Does nothing where there is no such file. If it is stopped, it may throw, and the file may be gone or not. */
  delete(key: string, stop?: Abort): Promise<void>;
  /** If it is stopped, it may throw. */
  has(key: string, stop?: Abort): Promise<boolean>;
  /** The bytes of a file, piece by piece. Throws, when the first is asked for, where there is no such file. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** An absolute URL that answers the file, to be saved as `filename`, until the time given. */
  link(key: string, filename: string, until: Instant): Promise<string>;
  /** The keys under a prefix (`uploads/`) that were stored before a time; if it is stopped, those so far. */
  storedBefore(prefix: string, time: Instant, stop?: Abort): AsyncIterable<string>;
}
