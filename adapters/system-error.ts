/** The code of a system's error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export type NetworkTrouble = 'unknown host' | 'refused' | 'silent' | 'broken';

/** By the codes of Node for a connection that could not be made, or that broke. The next one may be made. */
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

/** What is wrong with the network, whatever service was on its other side; `undefined` if it is another error. */
export function networkTroubleOf(error: unknown): NetworkTrouble | undefined {
  return networkTroubles.get(codeOf(error));
}

export function isNetworkError(error: unknown): boolean {
  return networkTroubleOf(error) !== undefined;
}

/** The codes of a file system for what may be gone in a moment, or when somebody has made room. */
const diskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Whether it is an error of a disk that is full or out. */
export function isDiskOutage(error: unknown): boolean {
  return diskCodes.has(codeOf(error) ?? '');
}
