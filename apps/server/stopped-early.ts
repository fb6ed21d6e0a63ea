import { constants } from 'node:os';

/** The signals that tell the process to stop. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
export type StopSignalName = (typeof stopSignals)[number];

/** The process was told to stop before its start had ended; nothing was served. */
export class StoppedEarly extends Error {
  override readonly name = 'StoppedEarly';
  /** As shells tell that a signal ended a process: 143 for SIGTERM, 130 for SIGINT. */
  readonly exitCode: number;

  constructor(signal: StopSignalName) {
    super(`Stopped by ${signal} before the start had ended.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}
