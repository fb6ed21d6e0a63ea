/** Said when the process may not have as many files open as it needs. This file imports nothing, as nothing else can be loaded then. */
export const tooFewFiles =
  'The process may not open enough files (ulimit -n): allow at least 1024, and 65536 for a busy server.';

/** Whether an error says that the process, or the machine, has no more files to give. */
export function isFileLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
