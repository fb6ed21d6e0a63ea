import type { Readable, Writable } from 'node:stream';
import { stopSignal } from '../server/stop-signal.ts';

/** The parts of the process that a command uses. Tests run many commands in one process, each with its own terminal. */
export interface Terminal {
  /** The settings by name. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  /** Resolves with the name of the signal that stops the command. */
  stopSignal(): Promise<string>;
}

/** The terminal of this process. */
export const ownTerminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopSignal,
};
