import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const log = fileURLToPath(new URL('../../dist/apps/wiring/log.js', import.meta.url));

/** Logs one event in a separate process, with or without a terminal. Returns its output. */
async function logged(format: string, isTTY: boolean): Promise<string> {
  const program = `
    import { createLog } from ${JSON.stringify(log)};
    Object.defineProperty(process.stdout, 'isTTY', { value: ${isTTY} });
    (await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: '${format}' })).info({ port: 3000 }, 'listening');
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

describe('LOG_FORMAT', () => {
  it('auto: readable text on a terminal, else JSON', async () => {
    expect(JSON.parse(await logged('auto', false))).to.include({ level: 30, port: 3000, msg: 'listening' });
    expect(await logged('auto', true)).to.match(/INFO.*listening[\s\S]*port.*3000/);
  });

  it('json and pretty: the same format with or without a terminal', async () => {
    expect(JSON.parse(await logged('json', true))).to.include({ msg: 'listening' });
    expect(await logged('pretty', false)).to.match(/INFO.*listening[\s\S]*port.*3000/);
  });
});
