/** The folder for files that are not stored yet. No key may start with it. */
export const stagingName = 'tmp';

const form = /^[a-z]+\/[a-z0-9-]+\.[a-z0-9]+$/;

/** Characters. File systems and buckets allow longer names. */
const longest = 128;

/** Whether the text is a storage key, `folder/name.ext`. No other text is passed to a file system or bucket. */
export function isStorageKey(text: string): boolean {
  return text.length <= longest && form.test(text) && !text.startsWith(`${stagingName}/`);
}

/** Throws if the text is not a storage key. Core makes the keys, so that would be a bug. */
export function checkStorageKey(text: string): void {
  if (!isStorageKey(text)) throw new Error(`Not a storage key: ${JSON.stringify(text)}`);
}
