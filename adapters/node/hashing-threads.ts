import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../core/unavailable.ts';
import type { Job, JobResult } from './hashing-thread.js';

const program = new URL('./hashing-thread.js', import.meta.url);

/** Threads without work, of all hashers of this process. They do not keep the process alive. */
const idle: Worker[] = [];

/**
 * Runs the job in a thread that does nothing else, not in libuv's pool, whose four threads files and SQLite need. Starts
 * a thread if none is free: the caller bounds how many work at once. Throws `Unavailable` if no thread can be started.
 */
export async function inHashingThread(job: Job): Promise<string | boolean> {
  const thread = idle.pop() ?? newThread();
  thread.ref();
  thread.postMessage(job);
  const result = await resultFrom(thread).catch((cause: unknown) => {
    void thread.terminate();
    throw new Unavailable('The thread that hashes passwords ended.', { cause });
  });
  thread.unref();
  idle.push(thread);
  if ('error' in result) throw new Error(result.error);
  return result.value;
}

function newThread(): Worker {
  const thread = new Worker(program, { name: 'passwords' });
  // A thread that ends without work is forgotten. One that has work fails in `resultFrom`.
  thread.on('error', () => undefined);
  thread.on('exit', () => {
    const place = idle.indexOf(thread);
    if (place >= 0) idle.splice(place, 1);
  });
  return thread;
}

async function resultFrom(thread: Worker): Promise<JobResult> {
  const end = new AbortController();
  const ended = once(thread, 'exit', { signal: end.signal }).then(([code]) => {
    throw new Error(`It exited with ${code}.`);
  });
  try {
    const [result] = await Promise.race([once(thread, 'message', { signal: end.signal }), ended]);
    return result;
  } finally {
    end.abort();
    ended.catch(() => undefined);
  }
}
