import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

// A thread that hashes passwords, one after the other. `hashing-threads.ts` starts it. It is JavaScript because a thread
// of Node 20 cannot start with TypeScript, even if the sources run with tsx.

/**
 * @typedef {{ op: 'hash', password: string, options: import('@node-rs/argon2').Options }
 *   | { op: 'verify', password: string, hash: string }} Job
 * @typedef {{ value: string | boolean } | { error: string }} JobResult
 */

// On Linux, this is the priority of the thread. On other systems it would be that of the whole process. A sandbox may
// refuse it: then the thread hashes all the same.
try {
  if (process.platform === 'linux') setPriority(10);
} catch {}

parentPort?.on('message', (/** @type {Job} */ job) => parentPort?.postMessage(resultOf(job)));

/**
 * @param {Job} job
 * @returns {JobResult}
 */
function resultOf(job) {
  try {
    return { value: job.op === 'hash' ? hashSync(job.password, job.options) : verifySync(job.hash, job.password) };
  } catch (error) {
    return { error: String(error) };
  }
}
