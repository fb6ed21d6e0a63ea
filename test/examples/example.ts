import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requiredService } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** `examples.skip` is the reason if examples with packages of others are skipped: their packages are downloaded. */
export const examples = requiredService('TEST_EXAMPLES', 'wish to download packages, such as `yes`');

/** The address and the key in the code of the examples, which tests replace. */
export const placeholder = { url: 'https://licenses.example.com', key: 'LIC-7H2K-9QWX-M4TB-C0VJ' };

/** The folder of an example in the repository. */
export function exampleFolder(name: string): string {
  return join(root, 'apps/docs/examples', name);
}

/** A copy of an example. */
export interface Example {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Copies an example, and installs its packages with the packed SDK of this repository, as its README says for the time
 * before the SDK is published. The SDK is already built here. Then runs the example's own command.
 */
export async function buildExample(name: string, command: 'build' | 'copy'): Promise<Example> {
  const folder = await makeTemporaryFolder();
  try {
    const path = folder.file(name);
    await cp(exampleFolder(name), path, {
      recursive: true,
      filter: (source) => !/\/(?:node_modules|dist|\.next)$/.test(source),
    });
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], {
      cwd: join(root, 'apps/sdk'),
    });
    const sdk = folder.file(JSON.parse(stdout)[0].filename);
    const npm = (...args: string[]) =>
      run('npm', args, { cwd: path, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
    await npm('install', sdk, '--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier');
    await npm('run', command);
    return { path, remove: folder.remove };
  } catch (fault) {
    await folder.remove();
    throw fault;
  }
}
