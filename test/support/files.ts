import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { openDiskStorage } from '../../adapters/files/disk.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { createSigner } from '../../adapters/node/signer.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { s3 } from './s3.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A storage of a test's own, which is empty. */
export interface OpenedStorage {
  readonly storage: FileStorage;
  /** Writes a file to be put, and answers where it lies. */
  incoming(content: string | Buffer): Promise<string>;
  /** What is stored under a key. */
  content(key: string): Promise<Buffer>;
  /** Leaves nothing behind. */
  close(): Promise<void>;
}

/** A kind of file storage that the contract suite runs on. */
export interface StorageKind {
  readonly name: string;
  /** Why it cannot be tested here, such as a server that no environment variable names. */
  readonly skip?: string | undefined;
  open(): Promise<OpenedStorage>;
}

const disk: StorageKind = {
  name: 'disk',
  async open() {
    const folder = await makeTemporaryFolder();
    const signer = createSigner('a secret of the tests');
    const options = { baseUrl: 'https://files.example', signer, clock: systemClock };
    const storage = await openDiskStorage(folder.file('files'), options);
    const incoming = folder.file('incoming');
    await mkdir(incoming);
    let count = 0;
    return {
      storage,
      async incoming(content) {
        const path = `${incoming}/${count++}`;
        await writeFile(path, content);
        return path;
      },
      content: (key) => readFile(storage.path(key)),
      close: () => folder.remove(),
    };
  },
};

/** Another storage joins the contract by a line here: `skip` where its environment variable names no server. */
export const storageKinds: readonly StorageKind[] = [disk, s3];
