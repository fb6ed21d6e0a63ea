import type { Readable, Writable } from 'node:stream';
import { stopSignal } from '../server/stop-signal.ts';

/** What a command uses of the process that runs it. Tests run many commands in one process, each with a terminal of its own. */
export interface Terminal {
  /** The settings by name; without them, those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  /** Resolves with the name of the signal when the command is told to stop. */
  stopSignal(): Promise<string>;
}

/** The terminal of this process. */
export const ownTerminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopSignal,
};
