import { expect } from 'chai';
import type { Stores } from '../../support/backends.ts';
import { actOn, addProduct, keyNumber, must, newLicense } from '../../support/license-acts.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { startWorker, type Worker } from '../../support/sqlite-process.ts';
import { openSqliteStores } from '../../support/sqlite-stores.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const key = keyNumber(1);
const other = keyNumber(2);
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}.example`);

needing(skipLong).describe('two processes on one SQLite file', () => {
  let folder: TemporaryFolder;
  const workers: Worker[] = [];
  let number = 0;
  let file: string;
  let here: Stores;
  let [left, right]: Worker[] = [];

  before(async () => {
    folder = await makeTemporaryFolder();
    for (const starting of [startWorker(), startWorker()]) workers.push(await starting);
    [left, right] = workers;
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await folder.remove();
  });

  /** Both processes open a file that does not exist yet. */
  beforeEach(async () => {
    file = folder.file(`${number++}.db`);
    await both((worker) => worker.ask({ op: 'open', file }));
    here = await openSqliteStores(file);
    const productId = await addProduct(here.products);
    await actOn(here.licenses).issue(
      newLicense(key, productId, { maxDomains: 7 }),
      newLicense(other, productId, { maxDomains: 7 }),
    );
  });
  afterEach(async () => {
    await here.close();
    await both((worker) => worker.ask({ op: 'close' }));
  });

  const both = <T>(work: (worker: Worker, n: number) => Promise<T>) => Promise.all([must(left), must(right)].map(work));
  const count = (answers: string[], said: string) => answers.filter((one) => one === said).length;
  const heldDomains = async () => must(await here.licenses.find(key)).domains.map((one) => one.domain);

  it('activate exactly as many domains as the license allows, in any order of the calls', async () => {
    const answers = (
      await both((worker, n) => worker.ask({ op: 'activate', key, domains: names(`from-${n}`, 25) }))
    ).flat();
    expect(count(answers, 'ok')).to.equal(7);
    expect(count(answers, 'domain_limit_reached')).to.equal(43);
    expect(await heldDomains()).to.have.lengthOf(7);
    expect(must(await here.licenses.find(key)).license.domainsUsed).to.equal(7);
    const events = await here.audit.list({ subject: key, limit: 99 });
    expect(events.filter(({ type }) => type === 'license.activated')).to.have.lengthOf(7);
  });

  it('use one slot for one domain, however often both activate it', async () => {
    const same = Array<string>(20).fill('same.example');
    const answers = (await both((worker) => worker.ask({ op: 'activate', key, domains: same }))).flat();
    expect(count(answers, 'ok')).to.equal(40);
    expect(await heldDomains()).to.deep.equal(['same.example']);
  });

  it('free a slot once, however often both deactivate its domain', async () => {
    await must(left).ask({ op: 'activate', key, domains: names('a', 3) });
    const same = Array<string>(10).fill('a-1.example');
    const answers = (await both((worker) => worker.ask({ op: 'deactivate', key, domains: same }))).flat();
    expect(count(answers, 'ok')).to.equal(1);
    expect(count(answers, 'domain_not_found')).to.equal(19);
    expect(must(await here.licenses.find(key)).license.domainsUsed).to.equal(2);
  });

  it('count every verification of both processes, for the correct license and domain', async () => {
    const domains = names('a', 3);
    for (const one of [key, other]) await must(left).ask({ op: 'activate', key: one, domains });
    const asked = Array.from({ length: 900 }, (_, n) => must(domains[n % 3]));
    // One makes seven rounds and the other eleven, so that wrong sums cannot be right by chance.
    const answers = await both(async (worker, n) => {
      const said: string[] = [];
      for (let round = 0; round < (n === 0 ? 7 : 11); round++) {
        said.push(...(await worker.ask({ op: 'verify', key: n === 0 && round < 3 ? other : key, domains: asked })));
      }
      return said;
    });
    expect(count(answers.flat(), 'ok')).to.equal(900 * 18);
    const counts = async (license: typeof key) =>
      must(await here.licenses.find(license)).domains.map((one) => one.verificationCount);
    expect(await counts(other)).to.deep.equal([900, 900, 900]);
    expect(await counts(key)).to.deep.equal([4500, 4500, 4500]);
  });

  it('use a change of the other process from the very next verification', async () => {
    const domains = ['a.example'];
    for (let round = 0; round < 5; round++) {
      await must(left).ask({ op: 'activate', key, domains });
      expect(await must(right).ask({ op: 'verify', key, domains })).to.deep.equal(['ok']);
      expect(await must(left).ask({ op: 'verify', key, domains })).to.deep.equal(['ok']);
      await must(right).ask({ op: 'deactivate', key, domains });
      expect(await must(left).ask({ op: 'verify', key, domains })).to.deep.equal(['invalid_domain']);
      expect(await must(right).ask({ op: 'verify', key, domains })).to.deep.equal(['invalid_domain']);
    }
    expect(must(await here.licenses.find(key)).license.retired.verificationCount).to.equal(10);
  });

  it('keep all changes that one process acknowledged before it was killed', async () => {
    const doomed = await startWorker();
    workers.push(doomed);
    await doomed.ask({ op: 'open', file });
    await doomed.ask({ op: 'activate', key, domains: names('a', 2) });
    const domains = Array<string>(250).fill('a-1.example');
    const answers = await doomed.ask({ op: 'verify', key, domains });
    await doomed.kill();
    expect(count(answers, 'ok')).to.equal(250);
    expect(await must(right).ask({ op: 'verify', key, domains: ['a-1.example'] })).to.deep.equal(['ok']);
    expect(must(await here.licenses.find(key)).domains[0]?.verificationCount).to.equal(251);
  });
});
