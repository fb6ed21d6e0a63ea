import { Unavailable } from '../../core/unavailable.ts';

/** The codes of a file system for what may be gone in a moment, or when somebody has made room. */
const passing = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** `Unavailable` for an outage of the file system, else the error as it is. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  return code !== undefined && passing.has(code)
    ? new Unavailable('The files cannot be used at the moment.', { cause: error })
    : error;
}

/** Runs the work; an outage of the file system that it ends in is thrown as `Unavailable`. */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

/** The code of a system's error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The answer, or `undefined` where the file is gone. */
export async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
