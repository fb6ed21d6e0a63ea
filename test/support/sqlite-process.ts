import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startProgram } from './run-process.ts';

/** A task for a worker process. It uses its own clock. */
export type Task =
  | { readonly op: 'open'; readonly file: string }
  | { readonly op: 'close' }
  /** Returns the outcome for each domain. All calls run at once. */
  | { readonly op: 'activate' | 'deactivate' | 'verify'; readonly key: string; readonly domains: readonly string[] }
  /** Returns when the schema is created but not committed, then hangs. */
  | { readonly op: 'hang in migration'; readonly file: string };

/** A separate process, which handles one task after the other. */
export interface Worker {
  ask(task: Task): Promise<string[]>;
  /** Kills the process with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
}

export async function startWorker(): Promise<Worker> {
  const child = await startProgram('support/sqlite-worker.ts', [], { stdio: ['pipe', 'inherit', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  await nextMessage(child);
  return {
    async ask(task) {
      const answer = nextMessage(child);
      child.send(task);
      const message = await answer;
      if ('error' in message) throw new Error(`The worker failed to ${task.op}: ${message.error}`);
      return message.answer;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

export type Message = { readonly answer: string[] } | { readonly error: string };

function nextMessage(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as Message);
    };
    const onExit = () => {
      child.off('message', onMessage);
      reject(new Error('The worker process ended before it answered.'));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}
