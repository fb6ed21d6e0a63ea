import { Readable } from 'node:stream';
import type { CliCall, CliEnding } from './cli.ts';

// Runs commands of the built `latchkey` one after the other in one process. Each has its own arguments, environment, folder
// and standard streams, but they share the modules that it loads. Starting Node takes most of the time of a short command.
const program = process.argv[2];
let runs = 0;

process.on('message', async ({ args, cwd, env, stdin }: CliCall) => {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].removeAllListeners('error'); // Each command adds one.
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
    // Another address each time, so that it runs again. It awaits its command, so the import ends with it.
    await import(`${program}?${runs++}`);
  } catch (error) {
    written.stderr += error instanceof Error ? error.stack : String(error);
    process.exitCode = 1;
  }
  process.send?.({ code: Number(process.exitCode ?? 0), ...written } satisfies CliEnding);
});
