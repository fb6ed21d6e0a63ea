/** The folder of files that are not stored yet: no key lies in it. */
export const stagingName = 'tmp';

const form = /^[a-z]+\/[a-z0-9-]+\.[a-z0-9]+$/;

/** Shorter than a name may be on any file system or in any bucket: what is longer can be no file. */
const longest = 128;

/** Whether it is a storage key, `folder/name.ext`: no other text reaches a file system or a bucket. */
export function isStorageKey(text: string): boolean {
  return text.length <= longest && form.test(text) && !text.startsWith(`${stagingName}/`);
}

/** Throws unless it is a storage key: core made it, so anything else is a bug. */
export function checkStorageKey(text: string): void {
  if (!isStorageKey(text)) throw new Error(`Not a storage key: ${JSON.stringify(text)}`);
}
