import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { openDiskStorage } from '../../adapters/files/disk.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { createSigner } from '../../adapters/node/signer.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { s3 } from './s3.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A new, empty storage for one test. */
export interface OpenedStorage {
  readonly storage: FileStorage;
  /** Writes a local file for `put`, and returns its path. */
  incoming(content: string | Buffer): Promise<string>;
  /** Returns the stored content of a key. */
  content(key: string): Promise<Buffer>;
  /** Deletes everything. */
  close(): Promise<void>;
}

/** A file storage on which the contract suite runs. */
export interface StorageKind {
  readonly name: string;
  /** The reason if it cannot be tested here, for example a missing environment variable. */
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

/** A storage in this list runs the contract suite. Set `skip` if its environment variable is not set. */
export const storageKinds: readonly StorageKind[] = [disk, s3];
