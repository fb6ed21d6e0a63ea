import { Readable } from 'node:stream';
import type { CliCall, CliEnding } from './cli.ts';

// Runs commands of a built program one after the other in one process, each as if it had a process of its own: its own
// arguments, environment, folder and standard streams. Node itself takes most of the time of a short command.
const program = process.argv[2];
let runs = 0;

process.on('message', async ({ args, cwd, env, stdin }: CliCall) => {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].removeAllListeners('error');
    process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      written[name] += Buffer.from(chunk as string).toString();
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    };
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, 'stdin', { value: Readable.from(Buffer.from(stdin)), configurable: true });
  process.chdir(cwd);
  process.argv = [process.execPath, String(program), ...args];
  process.exitCode = undefined;
  try {
    // Another address for each run, so that the program is loaded again. When it is loaded, it has ended.
    await import(`${program}?${runs++}`);
  } catch (error) {
    written.stderr += String(error);
    process.exitCode = 1;
  }
  process.send?.({ code: Number(process.exitCode ?? 0), ...written } satisfies CliEnding);
  process.exitCode = undefined;
});
