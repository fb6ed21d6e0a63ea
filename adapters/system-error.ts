/** The code of a system's error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What Node calls a connection that could not be made, or that broke. The next one may be made. */
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

/** Whether it is an error of the network, whatever service was on its other side. */
export function isNetworkError(error: unknown): boolean {
  return networkCodes.has(codeOf(error) ?? '');
}

/** The codes of a file system for what may be gone in a moment, or when somebody has made room. */
const diskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Whether it is an error of a disk that is full or out. */
export function isDiskOutage(error: unknown): boolean {
  return diskCodes.has(codeOf(error) ?? '');
}
