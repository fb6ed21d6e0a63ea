/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Node's codes for connections that failed or broke. A retry may succeed. */
const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

export function isNetworkError(error: unknown): boolean {
  return networkCodes.has(codeOf(error) ?? '');
}

/** File system errors that may pass by themselves, or when somebody frees disk space. */
const diskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Whether the disk is full or does not work at the moment. */
export function isDiskOutage(error: unknown): boolean {
  return diskCodes.has(codeOf(error) ?? '');
}
