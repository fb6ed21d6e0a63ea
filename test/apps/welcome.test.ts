import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { welcome } from '../../apps/server/announce.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { itLong } from '../support/required-service.ts';

const run = promisify(execFile);
const announcing = fileURLToPath(new URL('../../dist/apps/server/announce.js', import.meta.url));
const config = fileURLToPath(new URL('../../dist/apps/wiring/config.js', import.meta.url));
const log = fileURLToPath(new URL('../../dist/apps/wiring/log.js', import.meta.url));

/** Announces a server in a separate process, with or without a terminal. Returns its output. */
async function announced(settings: Record<string, string>, isTTY: boolean, link?: string): Promise<string> {
  const program = `
    import { announce } from ${JSON.stringify(announcing)};
    import { readConfig } from ${JSON.stringify(config)};
    import { createLog } from ${JSON.stringify(log)};
    Object.defineProperty(process.stdout, 'isTTY', { value: ${isTTY} });
    const config = readConfig(${JSON.stringify(settings)});
    announce(await createLog(config), config, { port: 3000 }, ${JSON.stringify(link)});
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

describe('the first lines of a server', () => {
  itLong('are for people on a terminal, else one line of JSON', async () => {
    const text = await announced({}, true);
    expect(text).to.match(/^\nLatchkey [\d.]+ is running\. Ctrl\+C stops it\.\n/);
    expect(text).to.include('Address   http://localhost:3000\n').and.to.include('http://localhost:3000/docs\n');
    expect(JSON.parse(await announced({}, false))).to.include({ msg: 'listening', port: 3000 });
  });

  itLong('are log lines on a terminal too if LOG_FORMAT asks for them; LOG_LEVEL may silence both', async () => {
    expect(JSON.parse(await announced({ LOG_FORMAT: 'json' }, true))).to.include({ msg: 'listening' });
    expect(await announced({ LOG_FORMAT: 'pretty' }, true)).to.match(/INFO.*listening/);
    expect(await announced({ LOG_LEVEL: 'warn' }, true)).to.equal('');
  });

  itLong('contain the set-up link on a line of its own, for people and for programs', async () => {
    const link = 'http://localhost:3000/setup#abc';
    expect(await announced({}, true, link)).to.include(
      `\nOpen this link within 30 minutes to set up the site:\n\n  ${link}\n\n`,
    );
    const lines = (await announced({}, false, link))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ msg, setUp }) => [msg, setUp])).to.deep.equal([
      ['listening', undefined],
      ['open this link within 30 minutes to set up the site', link],
    ]);
    expect(await announced({}, true)).to.not.include('set up');
  });

  it('name the places of the data, and contain no secret', () => {
    const of = (settings: Record<string, string>) => welcome(readConfig(settings));
    expect(of({ DATABASE_URL: 'sqlite:/srv/a.db', FILES_URL: 'disk:/srv/files' }))
      .to.include('Database  /srv/a.db\n')
      .and.to.include('Files     /srv/files\n');
    const remote = of({ DATABASE_URL: 'postgres://ada:c4n4ry@db/latchkey', FILES_URL: 's3://bucket/prefix' });
    expect(remote).to.include('Database  Postgres\n').and.to.include('Files     s3://bucket\n');
    expect(remote).to.not.include('c4n4ry');
    expect(of({ DATABASE_URL: 'memory:', FILES_URL: 'temporary:' }))
      .to.include('in memory')
      .and.to.include('temporary');
  });

  it('name no guides if the server has none', () => {
    const text = welcome(readConfig({ SURFACE: 'license', VERIFY_URL: 'https://verify.example.com' }));
    expect(text).to.include('Address   https://verify.example.com\n').and.to.not.include('/docs');
  });
});
