/** The exit codes of the program. */
export const exitCodes = {
  done: 0,
  /** The network, the disk or something else did not work. */
  failed: 1,
  wrongUsage: 2,
  notSignedIn: 3,
  /** The server understood the call and refused it. */
  refused: 4,
} as const;
/** How a command that fails ends. */
export type ExitCode = Exclude<keyof typeof exitCodes, 'done'>;

/** What `--json` prints besides the message and the advice: what the server sent, or a name for the reason. */
export type Details = Readonly<{ code?: string }> & Readonly<Record<string, unknown>>;

/** Throw it to end the program with a message, and with what the person can do next. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly exit: ExitCode;
  readonly advice: string | undefined;
  /** How long the server asks to wait before the same call may work, in milliseconds. */
  readonly wait: number | undefined;
  readonly details: Details;

  constructor(exit: ExitCode, message: string, advice?: string, wait?: number, details: Details = {}) {
    super(message);
    this.exit = exit;
    this.advice = advice;
    this.wait = wait;
    this.details = details;
  }
}
