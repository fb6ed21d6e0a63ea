import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { embed } from '../../apps/embed.ts';
import { clientPart, failureCodes, fingerprintOf } from './sdk-types.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Writes the types of the account client from the OpenAPI document. The generator needs an older compiler than ours. */
const generator = ['--package=openapi-typescript@7.13.0', '--package=typescript@5.9.3', '--', 'openapi-typescript'];
const output = fileURLToPath(new URL('../../apps/sdk/account/api.ts', import.meta.url));

const folder = await makeTemporaryFolder();
try {
  await using service = await embed();
  const document = await (await fetch(`${service.url}/openapi.json`)).json();
  const file = folder.file('openapi.json');
  await writeFile(file, JSON.stringify(clientPart(document)));
  // The linter's rules in this folder are for the whole document.
  const { status } = spawnSync('npx', ['--yes', ...generator, file, '--output', output], {
    stdio: 'inherit',
    cwd: folder.path,
  });
  if (status === 0) {
    const types = await readFile(output, 'utf8');
    const codes = failureCodes(document).map((code) => `\n    | '${code}'`);
    await writeFile(
      output,
      `// Written by npm run sdk:types from the document ${fingerprintOf(document)}\n${types}\n/** The codes of all failures. */\nexport type FailureCode =${codes.join('')};\n`,
    );
  }
  process.exitCode = status ?? 1;
} finally {
  await folder.remove();
}
