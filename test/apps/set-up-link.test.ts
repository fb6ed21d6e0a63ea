import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { password } from '../support/sign-in.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { createWebClient } from '../support/web-client.ts';

const linksIn = ({ log }: ServerProcess) => log.flatMap(({ setUp }) => (typeof setUp === 'string' ? [setUp] : []));

needing(skipLong).describe('a server on a database without an administrator', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(() => folder.remove());

  /** Starts a server on the database, uses it, stops it, and returns the links that it printed. */
  async function run(
    settings: Record<string, string> = {},
    act: (server: ServerProcess) => Promise<void> = async () => undefined,
  ): Promise<string[]> {
    await using server = await startServer({ DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, ...settings });
    await act(server);
    await server.stop('SIGTERM');
    return linksIn(server);
  }

  it('prints the link for the set-up at each start until it is used, and never after that', async () => {
    const [first = ''] = await run();
    const [second = ''] = await run({}, async (server) => {
      await eventually('the link is printed', () => linksIn(server).length > 0);
      const [link = ''] = linksIn(server);
      expect(link).to.match(/^http:\/\/localhost:\d+\/setup#[0-9a-f]{64}$/);
      expect(new URL(link).port).to.equal(new URL(server.url).port);
      const [, token = ''] = link.split('#');
      const fields = { token, name: 'Root', email: 'root@example.com', password };
      const answer = await createWebClient(server.url).fill('/setup', fields);
      expect([answer.status, answer.location]).to.deep.equal([303, '/admin']);
    });
    expect(first.split('#')[1]).to.not.equal(second.split('#')[1]);
    expect(await run()).to.deep.equal([]);
  });

  it('prints one link, however many workers it has', async () => {
    expect(await run({ WORKERS: '3' })).to.have.lengthOf(1);
  });

  it('prints none if it serves no pages', async () => {
    expect(await run({ SURFACE: 'license' })).to.deep.equal([]);
    expect(await run({ SURFACE: 'account' })).to.have.lengthOf(1);
  });
});
