import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Header, x } from 'tar';

const block = 512;

/** A tar file that is being written. */
export interface NewTar {
  /** Adds a local file under a name. */
  add(name: string, path: string): Promise<void>;
  /** Completes the file, durably. */
  end(): Promise<void>;
  /** Closes the file. Does nothing after `end`. */
  close(): Promise<void>;
}

/** Creates a tar file that only its owner can read. All entries get `mtime`. Throws `EEXIST` if the file exists. */
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
        throw new Error(`A tar header cannot store the name ${name}.`);
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

/** The tar file is incomplete, broken, or contains an entry that is not allowed. */
class WrongTar extends Error {
  override readonly name = 'WrongTar';
}

/** Unpacks plain files with allowed names, and calls `each` with their names. Throws `WrongTar` on any other entry. */
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
    throw new WrongTar(`${file} is not a complete tar file.`, { cause: error });
  }
  if (strange !== undefined)
    throw new WrongTar(`${file} contains ${JSON.stringify(strange)}, which is not part of a backup.`);
}

function isFile(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'type' in entry && /^(?:Old)?File$/.test(String(entry.type));
}
