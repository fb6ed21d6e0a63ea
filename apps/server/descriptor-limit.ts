/** The message for too many open files. This file imports nothing, because no other file can be loaded then. */
export const tooFewFiles =
  'The process is not allowed to open enough files (ulimit -n): allow at least 1024, and 65536 for a busy server.';

/** Whether the process or the machine has reached its limit of open files. */
export function isFileLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
