import fs from 'node:fs';
import { chown, mkdir, open, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, sep } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { type DiskStorage, openDiskStorage } from '../../../adapters/files/disk.ts';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import { createSigner } from '../../../adapters/node/signer.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const start = Date.UTC(2026, 10, 20, 12);
const signer = createSigner('a secret of the tests');
/** Only Linux shows which file an open handle belongs to. */
const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('disk storage', () => {
  let folder: TemporaryFolder;
  let clock: ManualClock;
  let storage: DiskStorage;
  const undo: (() => unknown)[] = [];

  const openAt = (path: string) => openDiskStorage(path, { baseUrl: 'https://files.example', signer, clock });

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    clock = createManualClock(start);
    storage = await openAt(folder.file('files'));
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
    await folder.remove();
  });

  async function incoming(content = 'content', name = 'upload'): Promise<string> {
    const path = `${storage.staging}/${name}`;
    await writeFile(path, content);
    return path;
  }
  async function stored(prefix = '', time = start + 1): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of storage.storedBefore(prefix, time)) keys.push(key);
    return keys.sort();
  }
  /** Returns the paths of all files under the folder. */
  const allFiles = async () => {
    const entries = await readdir(folder.file('files'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  };

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('gives new files and folders to the owner of its folder, even if root creates them', async () => {
    await chown(folder.file('files'), 65_534, 65_534);
    await storage.put('media/a.png', await incoming());
    for (const path of ['files/media', 'files/media/a.png']) {
      expect(await stat(folder.file(path)), path).to.include({ uid: 65_534, gid: 65_534 });
    }
  });

  describe('opening', () => {
    it('creates the folder and its parent folders', async () => {
      const deep = await openAt(folder.file('a/b/c'));
      expect((await stat(deep.staging)).isDirectory()).to.equal(true);
    });

    it('accepts a folder that already contains files', async () => {
      await storage.put('media/one.zip', await incoming());
      expect(await (await openAt(folder.file('files'))).has('media/one.zip')).to.equal(true);
    });

    it('throws the error of the system if the folder cannot be created', async () => {
      await writeFile(folder.file('file'), '');
      expect(await errorOf(openAt(folder.file('file')))).to.have.property('code', 'ENOTDIR');
      expect(await errorOf(openAt(folder.file('file/files')))).to.have.property('code', 'ENOTDIR');
    });
  });

  describe('keys', () => {
    it('never lead out of the folder or into the staging folder', () => {
      const part = fc.string({ unit: fc.constantFrom('.', '/', '\\', '-', 'a', 'tmp', '..', '\0', '%2e', ' ') });
      fc.assert(
        fc.property(
          fc.oneof(
            part,
            fc.string(),
            fc.tuple(part, part).map((parts) => parts.join('/')),
          ),
          (key) => {
            let path: string;
            try {
              path = storage.path(key);
            } catch {
              return;
            }
            expect(dirname(dirname(path))).to.equal(folder.file('files'));
            expect(path.startsWith(storage.staging + sep)).to.equal(false);
          },
        ),
      );
      expect(storage.path('media/one.zip')).to.equal(folder.file('files/media/one.zip'));
      expect(() => storage.path('tmp/one.zip')).to.throw();
    });
  });

  describe('put', () => {
    it('moves a staged file without copying it', async () => {
      const path = await incoming();
      const { ino } = await stat(path);
      await storage.put('media/one.zip', path);
      expect((await stat(storage.path('media/one.zip'))).ino).to.equal(ino);
      expect(await allFiles()).to.deep.equal(['one.zip']);
    });

    itOnLinux(
      'syncs the file to the disk before it creates the name, and syncs the name before it returns',
      async () => {
        const steps: string[] = [];
        await onSync((path) => void steps.push(path));
        replace('link', async (...names) => {
          steps.push('link');
          return await real.link(...names);
        });
        const path = await incoming();
        await storage.put('media/one.zip', path);
        const files = folder.file('files');
        expect(steps).to.deep.equal([files, path, 'link', `${files}/media`]);
      },
    );

    it('copies a file from another file system, and deletes it there', async function () {
      const other = await otherFileSystem();
      if (other === undefined) this.skip();
      const path = `${other}/upload`;
      await writeFile(path, 'from afar');
      await storage.put('media/one.zip', path);
      expect(await readFile(storage.path('media/one.zip'), 'utf8')).to.equal('from afar');
      expect(await readdir(other)).to.deep.equal([]);
      expect(await allFiles()).to.deep.equal(['one.zip']);
      expect(await stored()).to.deep.equal(['media/one.zip']);
    });

    it('does not overwrite a file with one from another file system either', async function () {
      const other = await otherFileSystem();
      if (other === undefined) this.skip();
      await storage.put('media/one.zip', await incoming('first'));
      await writeFile(`${other}/upload`, 'second');
      expect(await errorOf(storage.put('media/one.zip', `${other}/upload`))).to.have.property('code', 'EEXIST');
      expect(await readFile(storage.path('media/one.zip'), 'utf8')).to.equal('first');
      expect(await readdir(other)).to.deep.equal(['upload']);
      expect(await allFiles()).to.deep.equal(['one.zip']);
    });

    it('works on file systems without hard links', async () => {
      replace('link', async () => {
        throw systemError('EPERM');
      });
      await storage.put('media/one.zip', await incoming('first'));
      expect(await errorOf(storage.put('media/one.zip', await incoming('second')))).to.be.an('error');
      expect(await readFile(storage.path('media/one.zip'), 'utf8')).to.equal('first');
      expect(await allFiles()).to.have.members(['one.zip', 'upload']);
    });

    it('accepts only regular files', async () => {
      await writeFile(folder.file('secret'), 'secret');
      await symlink(folder.file('secret'), `${storage.staging}/link`);
      await mkdir(`${storage.staging}/folder`);
      for (const name of ['link', 'folder', 'none']) {
        expect(await errorOf(storage.put('media/one.zip', `${storage.staging}/${name}`)), name).to.be.an('error');
        expect(await storage.has('media/one.zip')).to.equal(false);
      }
    });

    for (const code of ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE']) {
      itOnLinux(`throws Unavailable for ${code} at every step, and leaves no part of the file`, async () => {
        for (const failing of [1, 2, 3]) {
          let syncs = 0;
          const stop = await onSync(() => {
            if (++syncs === failing) throw systemError(code);
          });
          const path = await incoming();
          const error = await errorOf(storage.put('media/one.zip', path));
          expect(error).to.be.instanceOf(Unavailable);
          expect(error).to.have.nested.property('cause.code', code);
          expect(await allFiles()).to.deep.equal(['upload']);
          stop();
          await rm(folder.file('files/media'), { recursive: true, force: true });
        }
      });
    }

    itOnLinux('leaves no part of a copy if the disk is full', async function () {
      const other = await otherFileSystem();
      if (other === undefined) this.skip();
      await writeFile(`${other}/upload`, 'from afar');
      await onSync((path) => {
        if (path.startsWith(storage.staging)) throw systemError('ENOSPC');
      });
      expect(await errorOf(storage.put('media/one.zip', `${other}/upload`))).to.be.instanceOf(Unavailable);
      expect(await allFiles()).to.deep.equal([]);
      expect(await readdir(other)).to.deep.equal(['upload']);
    });

    it('throws other errors unchanged', async () => {
      const error = await errorOf(storage.put('media/one.zip', `${storage.staging}/none`));
      expect(error).to.have.property('code', 'ENOENT');
      expect(error).not.to.be.instanceOf(Unavailable);
    });
  });

  describe('storedBefore', () => {
    itLong('uses the time of put, not the age of the file', async () => {
      const path = await incoming();
      await utimes(path, new Date(0), new Date(0));
      await storage.put('media/one.zip', path);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: -2, max: 2 }), fc.nat(2_000_000_000_000), async (off, at) => {
          clock.set(at);
          const key = `media/at-${at}.zip`;
          if (await storage.has(key)) return;
          await storage.put(key, await incoming());
          expect((await stored(key, at + off)).length).to.equal(off > 0 ? 1 : 0);
        }),
      );
      expect(await stored('media/one', start)).to.deep.equal([]);
      expect(await stored('media/one', start + 1)).to.deep.equal(['media/one.zip']);
    });

    it('ignores files that it did not put', async () => {
      await storage.put('media/one.zip', await incoming());
      await incoming('staged', 'one.zip');
      const files = folder.file('files');
      await mkdir(`${files}/media/folder.zip`);
      await mkdir(`${files}/Foreign`);
      for (const name of ['media/.DS_Store', 'media/One.zip', 'media/a.tar.gz', 'loose.zip', 'Foreign/a.zip']) {
        await writeFile(`${files}/${name}`, '');
      }
      await symlink(folder.file('files/loose.zip'), `${files}/media/link.zip`);
      expect(await stored('', Date.UTC(3000, 0))).to.deep.equal(['media/one.zip']);
    });

    it('continues if a folder is deleted meanwhile', async () => {
      for (const key of ['media/one.zip', 'products/one.zip']) await storage.put(key, await incoming());
      const seen: string[] = [];
      for await (const key of storage.storedBefore('', start + 1)) {
        seen.push(key);
        for (const name of ['media', 'products'])
          await rm(folder.file(`files/${name}`), { recursive: true, force: true });
      }
      expect(seen).to.have.length(1);
    });
  });

  describe('sweepStaging', () => {
    it('deletes exactly the files that were last written before a time', async () => {
      await storage.put('media/one.zip', await incoming());
      await mkdir(`${storage.staging}/folder`);
      for (const [name, at] of [
        ['old', start - 1],
        ['new', start],
        ['newer', start + 1],
      ] as const) {
        const path = await incoming(name, name);
        await utimes(path, new Date(at), new Date(at));
      }
      await utimes(`${storage.staging}/folder`, new Date(0), new Date(0));
      expect(await storage.sweepStaging(start)).to.equal(1);
      expect(await allFiles()).to.have.members(['new', 'newer', 'one.zip']);
      expect(await storage.sweepStaging(start)).to.equal(0);
      expect(await storage.sweepStaging(start + 2)).to.equal(2);
      expect(await allFiles()).to.deep.equal(['one.zip']);
    });
  });

  const real = { ...fs.promises };

  /** Replaces a function of the file system until the test ends. */
  function replace<K extends 'link'>(name: K, other: (typeof fs.promises)[K]): void {
    fs.promises[name] = other;
    syncBuiltinESMExports();
    undo.push(() => {
      fs.promises[name] = real[name];
      syncBuiltinESMExports();
    });
  }

  /** Calls `tell` with each synced path, until the test ends or the returned function is called. */
  async function onSync(tell: (path: string) => void): Promise<() => void> {
    const file = await open(folder.file('files'), 'r');
    const prototype = Object.getPrototypeOf(file);
    await file.close();
    const { sync } = prototype;
    prototype.sync = async function (this: fs.promises.FileHandle) {
      tell(fs.readlinkSync(`/proc/self/fd/${this.fd}`));
      return await sync.call(this);
    };
    const stop = () => {
      prototype.sync = sync;
    };
    undo.push(stop);
    return stop;
  }

  /** Returns a folder on another device than the storage, if this machine has one. */
  async function otherFileSystem(): Promise<string | undefined> {
    const shared = await stat('/dev/shm').catch(() => undefined);
    if (shared === undefined || shared.dev === (await stat(storage.staging)).dev) return undefined;
    const path = await fs.promises.mkdtemp('/dev/shm/latchkey-test-');
    undo.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }
});

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as told`), { code });
}
