import { expect } from 'chai';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { type DatabaseKind, type House, openHouse } from '../torture/house.ts';
import { runStorm } from '../torture/storm.ts';

const databases: readonly { kind: DatabaseKind; processes: number; skip?: string | undefined }[] = [
  { kind: 'sqlite', processes: 2 },
  { kind: 'postgres', processes: 3, skip: postgresServer.skip },
];

for (const { kind, processes, skip } of databases) {
  needing(skipLong ?? skip).describe(`${processes} processes on one ${kind} database`, () => {
    let house: House;
    before(async () => {
      house = await openHouse({ database: kind, processes });
    });
    after(() => house?.[Symbol.asyncDispose]());

    const urls = () => house.urls();
    /** The nth call goes to the nth process, in turn. */
    const urlFor = (n: number) => urls()[n % processes] ?? '';
    const issue = async (maxDomains: number) => {
      const [key] = await house.issue(1, maxDomains);
      if (key === undefined) throw new Error('No license was issued.');
      return key;
    };
    const activate = (url: string, key: string, domain: string) => house.call(url, key, { op: 'activate', domain });
    const deactivate = (url: string, key: string, domain: string) => house.call(url, key, { op: 'deactivate', domain });
    const verify = (url: string, key: string, domain: string) => house.call(url, key, { op: 'verify', domain });
    const status = (url: string, key: string) => house.call(url, key, { op: 'status' });

    it('allow exactly as many concurrent activations as the limit of the license', async () => {
      for (let round = 0; round < 5; round++) {
        const key = await issue(3);
        const answers = await Promise.all(
          Array.from({ length: 24 }, (_, n) => activate(urlFor(n), key, `${n}.example`)),
        );
        expect(answers.filter((answer) => answer === 'ok')).to.have.length(3);
        expect(answers.filter((answer) => answer === 'domain_limit_reached')).to.have.length(21);
        for (const url of urls()) expect(await status(url, key)).to.match(/^active 3\/3 total 0 /);
      }
    });

    it('use one slot for a domain that is activated on all of them at once', async () => {
      const key = await issue(2);
      const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => activate(urlFor(n), key, 'same.example')));
      expect(new Set(answers)).to.deep.equal(new Set(['ok']));
      expect(await status(urlFor(0), key)).to.equal('active 1/2 total 0 [same.example:0]');
    });

    it('count every verification that any of them answered exactly once', async () => {
      const key = await issue(2);
      await activate(urlFor(0), key, 'a.example');
      await activate(urlFor(1), key, 'b.example');
      const answers: unknown[] = [];
      await Promise.all(
        Array.from({ length: 24 }, async (_, n) => {
          for (let turn = 0; turn < 10; turn++) {
            answers.push(await verify(urlFor(n + turn), key, n % 3 === 0 ? 'a.example' : 'b.example'));
          }
        }),
      );
      expect(new Set(answers)).to.deep.equal(new Set(['ok']));
      for (const url of urls()) {
        expect(await status(url, key)).to.equal('active 2/2 total 240 [b.example:160 a.example:80]');
      }
    });

    it('all refuse the very next verification after one has deactivated the domain, even under load', async () => {
      await whileOthersVerify(async (key) => {
        for (let round = 0; round < 4; round++) {
          const one = urlFor(round);
          expect(await activate(one, key, 'here.example')).to.equal('ok');
          for (const url of urls()) expect(await verify(url, key, 'here.example')).to.equal('ok');
          expect(await deactivate(one, key, 'here.example')).to.equal('ok');
          const next = await Promise.all(urls().map((url) => verify(url, key, 'here.example')));
          expect(new Set(next)).to.deep.equal(new Set(['invalid_domain']));
        }
      });
    });

    it('all refuse the very next verification after another process has suspended the license, and accept it once it is reinstated', async () => {
      await whileOthersVerify(async (key) => {
        await activate(urlFor(0), key, 'here.example');
        for (let round = 0; round < 4; round++) {
          expect(await house.change(key, { op: 'suspend' })).to.equal('ok');
          const next = await Promise.all(urls().map((url) => verify(url, key, 'here.example')));
          expect(new Set(next)).to.deep.equal(new Set(['suspended']));
          expect(await house.change(key, { op: 'reinstate' })).to.equal('ok');
          const then = await Promise.all(urls().map((url) => verify(url, key, 'here.example')));
          expect(new Set(then)).to.deep.equal(new Set(['ok']));
        }
      });
    });

    it('give only answers that the rules explain, even if processes are killed and connections are cut', async () => {
      const figures = await runStorm(house, {
        seed: 20_261_121,
        processes,
        licenses: 6,
        clients: 3,
        calls: 100,
        blows: ['kill', 'cut'],
        calm: { atLeast: 100, more: 200 },
        continues: ({ operations, kills }) => operations < 1_200 || kills < 2,
      });
      expect(house.faults).to.be.empty;
      expect([...house.failures.keys()].filter((code) => code !== 503)).to.be.empty;
      expect(figures.violations.map(({ report }) => report).join('\n')).to.equal('');
      expect(figures.undecided).to.be.empty;
      expect(figures.byOp.verify).to.be.greaterThan(100);
    });

    /** Does the work while each process verifies the same license and another one. */
    async function whileOthersVerify(work: (key: string) => Promise<void>): Promise<void> {
      const [key, other] = [await issue(2), await issue(1)];
      await activate(urlFor(0), key, 'always.example');
      await activate(urlFor(1), other, 'always.example');
      let isOver = false;
      const others = Array.from({ length: 2 * processes }, async (_, n) => {
        while (!isOver) await verify(urlFor(n), n % 2 === 0 ? key : other, 'always.example');
      });
      await work(key).finally(() => {
        isOver = true;
      });
      await Promise.all(others);
    }
  });
}

needing(skipLong ?? postgresServer.skip).describe(
  'ten processes that start at once on an empty Postgres schema',
  () => {
    it('all become ready', async () => {
      const schema = await makeSchema();
      const settings = { DATABASE_URL: schema.url, DATABASE_POOL_SIZE: '2', FILES_URL: 'temporary:' };
      const starting = Array.from({ length: 10 }, () => startServer(settings));
      try {
        const servers = await Promise.all(starting);
        const answers = await Promise.all(servers.map(({ url }) => fetch(`${url}/health/ready`)));
        expect(answers.map(({ status }) => status)).to.deep.equal(servers.map(() => 200));
      } finally {
        for (const result of await Promise.allSettled(starting)) {
          if (result.status === 'fulfilled') await result.value[Symbol.asyncDispose]();
        }
        await schema.drop();
      }
    });
  },
);
