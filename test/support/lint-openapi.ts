import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { embed } from '../../apps/embed.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Lints the OpenAPI document of the service with the rules in `.redocly.yaml`. Exits with the linter's exit code. */
const folder = await makeTemporaryFolder();
try {
  const file = folder.file('openapi.json');
  await using service = await embed({
    settings: { BASE_URL: 'https://api.latchkey.dev', VERIFY_URL: 'https://verify.latchkey.dev' },
  });
  await writeFile(file, await (await fetch(`${service.url}/openapi.json`)).text());
  const { status } = spawnSync('redocly', ['lint', '--config', '.redocly.yaml', '--format', 'stylish', file], {
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  process.exitCode = status ?? 1;
} finally {
  await folder.remove();
}
