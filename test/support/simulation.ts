import { mkdir, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Scenario } from '../../apps/cli/scenarios.ts';
import { type Computer, makeComputer } from './cli.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A running `latchkey simulate`. */
export interface Simulated {
  readonly url: string;
  readonly key: string;
  /** The computer on which it runs. The package `latchkey` is installed there. */
  readonly computer: Computer;
  switchTo(scenario: Scenario): Promise<void>;
  end(): Promise<void>;
}

export async function startSimulation(...options: readonly string[]): Promise<Simulated> {
  const computer = await makeComputer({});
  await mkdir(computer.folder.file('node_modules'));
  await symlink(root, computer.folder.file('node_modules/latchkey'), 'dir');
  const running = computer.start(['simulate', '--json', ...options]);
  const [line] = await running.printedToOutput(/^\{.*\}\n/);
  const { url, license_key: key } = JSON.parse(line);
  return {
    ...{ url, key, computer },
    async switchTo(scenario) {
      const { status } = await fetch(`${url}/simulate`, { method: 'POST', body: JSON.stringify({ scenario }) });
      expect(status, scenario).to.equal(200);
    },
    async end() {
      running.child.kill('SIGTERM');
      const { code, stderr } = await running.ended;
      await computer.folder.remove();
      expect(code, stderr).to.equal(0);
    },
  };
}
