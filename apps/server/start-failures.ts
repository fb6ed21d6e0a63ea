import { constants } from 'node:os';

/** The signals that tell the process to stop. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
export type StopSignalName = (typeof stopSignals)[number];

/** A signal stopped the process during its start. It has served no request. */
export class StoppedEarly extends Error {
  override readonly name = 'StoppedEarly';
  /** The code that shells use for a signal: 143 for SIGTERM, 130 for SIGINT. */
  readonly exitCode: number;

  constructor(signal: StopSignalName) {
    super(`Stopped by ${signal} during the start.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** A worker could not start. It has logged the reason itself. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
}
