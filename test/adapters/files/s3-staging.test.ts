import { spawnSync } from 'node:child_process';
import { access, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { openStaging } from '../../../adapters/files/s3/staging.ts';
import { systemClock } from '../../../adapters/node/clock.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const hour = 3_600_000;

describe('the folder for incoming files of a bucket', () => {
  const { TMPDIR } = process.env;
  let temporary: TemporaryFolder;
  beforeEach(async () => {
    temporary = await makeTemporaryFolder();
    process.env.TMPDIR = temporary.path;
  });
  afterEach(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await temporary.remove();
  });

  /** Creates a folder as a process with this number leaves it, with one file. */
  async function left(pid: number, age: number): Promise<string> {
    const path = temporary.file(`latchkey-staging-${pid}-abc123`);
    await mkdir(path);
    await writeFile(join(path, 'upload'), 'x');
    const then = new Date(systemClock.now() - age);
    await utimes(path, then, then);
    return basename(path);
  }
  const deadPid = () => spawnSync('true').pid;

  it('is one for each that is opened, for this user alone, and gone when it is closed', async () => {
    const [one, other] = await Promise.all([openStaging(systemClock), openStaging(systemClock)]);
    expect(one.path).to.not.equal(other.path);
    expect(dirname(one.path)).to.equal(temporary.path);
    expect((await stat(one.path)).mode & 0o777).to.equal(0o700);
    await writeFile(join(one.path, 'upload'), 'x');
    await one.close();
    await access(other.path);
    await other.close();
    expect(await readdir(temporary.path)).to.deep.equal([]);
  });

  it('sweeps what gave no sign of life for an hour, also if its process number is in use, and nothing else', async () => {
    const dead = await Promise.all([left(1, 2 * hour), left(process.pid, 2 * hour), left(deadPid(), 2 * hour)]);
    const living = await left(deadPid(), hour / 2);
    const staging = await openStaging(systemClock);
    expect((await readdir(temporary.path)).toSorted()).to.deep.equal([living, basename(staging.path)].toSorted());
    await Promise.all(dead.map((_, number) => left(number + 1, 2 * hour)));
    expect(await staging.sweep()).to.equal(3);
    await staging.close();
  });

  it('is never swept by its own process, however long it gave no sign of life', async () => {
    const staging = await openStaging(systemClock);
    const then = new Date(systemClock.now() - 2 * hour);
    await utimes(staging.path, then, then);
    expect(await staging.sweep()).to.equal(0);
    await access(staging.path);
    await staging.close();
  });

  it('is made again with the next sign of life if somebody took it away', async () => {
    const staging = await openStaging(systemClock);
    await rm(staging.path, { recursive: true });
    await staging.sweep();
    expect((await stat(staging.path)).mode & 0o777).to.equal(0o700);
    await staging.close();
    await staging.sweep();
    expect(await readdir(temporary.path)).to.deep.equal([]);
  });

  it('is swept no further when that is called off', async () => {
    const staging = await openStaging(systemClock);
    const dead = await left(1, 2 * hour);
    expect(await staging.sweep(AbortSignal.abort())).to.equal(0);
    await access(temporary.file(dead));
    await staging.close();
  });

  it('is the one that is given, which stays', async () => {
    const staging = await openStaging(systemClock, temporary.file('given'));
    await staging.close();
    await access(temporary.file('given'));
  });
});
