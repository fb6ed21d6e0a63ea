import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Header, x } from 'tar';

const block = 512;

/** A tar file that is being written. */
export interface NewTar {
  /** Adds what a file of this machine holds. */
  add(name: string, path: string): Promise<void>;
  /** Writes the end, durably. */
  end(): Promise<void>;
  /** Does nothing once the end is written. */
  close(): Promise<void>;
}

/** Makes a tar file, for its user alone, whose entries are dated. Throws the system's own error where it is there already. */
export async function createTar(file: string, mtime: Date): Promise<NewTar> {
  const handle = await open(file, 'wx', 0o600);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    async add(name, path) {
      const { size } = await stat(path);
      const header = Buffer.alloc(block);
      if (new Header({ path: name, mode: 0o600, size, mtime, type: 'File' }).encode(header)) {
        throw new Error(`A tar file does not take ${name} as it is.`);
      }
      await handle.appendFile(header);
      for await (const piece of createReadStream(path)) await handle.appendFile(piece);
      await handle.appendFile(Buffer.alloc(-size & (block - 1)));
    },
    async end() {
      await handle.appendFile(Buffer.alloc(2 * block));
      await handle.sync();
      await close();
    },
    close,
  };
}

/** A file that is no whole tar file, or holds what it may not. */
class WrongTar extends Error {
  override readonly name = 'WrongTar';
}

/** Unpacks plain files with names that are allowed into a folder, telling of each. Throws `WrongTar` on anything else. */
export async function unpackTar(
  file: string,
  folder: string,
  { allows, each }: { allows(name: string): boolean; each(name: string): void },
): Promise<void> {
  let strange: string | undefined;
  const filter = (name: string, entry: unknown) => {
    const isAllowed = isFile(entry) && allows(name);
    if (isAllowed) each(name);
    else strange ??= name;
    return isAllowed;
  };
  try {
    await x({ file, cwd: folder, strict: true, noMtime: true, filter });
  } catch (error) {
    if (!(error instanceof Error && 'tarCode' in error)) throw error;
    throw new WrongTar(`${file} is no whole tar file.`, { cause: error });
  }
  if (strange !== undefined) throw new WrongTar(`${file} holds ${JSON.stringify(strange)}, which no backup has.`);
}

function isFile(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'type' in entry && /^(?:Old)?File$/.test(String(entry.type));
}
