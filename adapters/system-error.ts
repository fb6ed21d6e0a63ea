/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export type NetworkTrouble = 'unknown host' | 'refused' | 'silent' | 'broken';

/** Node's codes for connections that failed or broke. A retry may succeed. */
const networkTroubles: ReadonlyMap<string | undefined, NetworkTrouble> = new Map([
  ['EAI_AGAIN', 'unknown host'],
  ['ENOTFOUND', 'unknown host'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'silent'],
  ['ENETUNREACH', 'silent'],
  ['ETIMEDOUT', 'silent'],
  ['ECONNABORTED', 'broken'],
  ['ECONNRESET', 'broken'],
  ['EPIPE', 'broken'],
]);

/** Returns the kind of network error, or `undefined` if it is another error. */
export function networkTroubleOf(error: unknown): NetworkTrouble | undefined {
  return networkTroubles.get(codeOf(error));
}

export function isNetworkError(error: unknown): boolean {
  return networkTroubleOf(error) !== undefined;
}

/** File system errors that may pass by themselves, or when somebody frees disk space. */
const diskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Whether the disk is full or does not work at the moment. */
export function isDiskOutage(error: unknown): boolean {
  return diskCodes.has(codeOf(error) ?? '');
}
