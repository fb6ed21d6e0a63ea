import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The programs as they are run: each in one piece, which starts in a fraction of the time. */
const built = new Map<string, Promise<string>>();

interface ProgramOptions {
  /** Its first stream is the one from which the program gets its text. */
  readonly stdio: ['pipe', ...('pipe' | 'ignore' | 'inherit' | 'ipc')[]];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a program of the tests, which is named by its path in the folder `test`. It gets its own text from its standard input, so it cannot
 * read anything else there, and it finds files by their path from the root of the project.
 */
export async function startProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ChildProcess> {
  const text = await textOf(program);
  const child = spawn(process.execPath, [...readingItsText, ...args], { cwd: root, ...options });
  child.stdin?.end(text);
  return child;
}

/** Runs a program of this folder until it ends. Returns its exit code, or the signal that killed it. */
export async function runProcess(program: string, ...args: string[]): Promise<number | NodeJS.Signals> {
  const child = await startProgram(`support/${program}`, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

/** Arguments of Node for a program that comes from standard input. */
export const readingItsText = ['--input-type=module', '-'] as const;

/** Returns a program of the tests, which is named by its path in the folder `test`, as one text that Node can run. */
export function textOf(program: string): Promise<string> {
  const building = built.get(program) ?? inOnePiece(program);
  built.set(program, building);
  return building;
}

async function inOnePiece(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${root}test/${program}`],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
  });
  return outputFiles[0]?.text ?? '';
}
