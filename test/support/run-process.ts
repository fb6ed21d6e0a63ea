import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program of this folder until it ends. Returns its exit code, or the signal that killed it. */
export async function runProcess(program: string, ...args: string[]): Promise<number | NodeJS.Signals> {
  const all = ['--import', 'tsx', `test/support/${program}`, ...args];
  const child = spawn(process.execPath, all, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}
