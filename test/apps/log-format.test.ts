import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { itLong } from '../support/required-service.ts';

const run = promisify(execFile);
const log = fileURLToPath(new URL('../../dist/apps/wiring/log.js', import.meta.url));

const listening = "({ port: 3000 }, 'listening')";

/** Logs in a separate process, with or without a terminal. Returns its output. `how`: a call of the log. */
async function logged(format: string, isTTY: boolean, how = `log.info${listening}`): Promise<string> {
  const program = `
    import { createLog } from ${JSON.stringify(log)};
    Object.defineProperty(process.stdout, 'isTTY', { value: ${isTTY} });
    const log = await createLog({ LOG_LEVEL: 'info', LOG_FORMAT: '${format}' });
    ${how};
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

describe('LOG_FORMAT', () => {
  itLong('auto: readable text on a terminal, else JSON', async () => {
    expect(JSON.parse(await logged('auto', false))).to.include({ level: 30, port: 3000, msg: 'listening' });
    expect(await logged('auto', true)).to.match(/INFO.*listening[\s\S]*port.*3000/);
  });

  itLong('json and pretty: the same format with or without a terminal', async () => {
    expect(JSON.parse(await logged('json', true))).to.include({ msg: 'listening' });
    expect(await logged('pretty', false)).to.match(/INFO.*listening[\s\S]*port.*3000/);
  });

  itLong('loses no line if the process ends right after it', async () => {
    const burst = 'for (let n = 0; n < 2_000; n++) log.info({ n }); process.exit()';
    const lines = (await logged('json', false, burst)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).n)).to.deep.equal(Array.from({ length: 2_000 }, (_, n) => n));
  });
});
