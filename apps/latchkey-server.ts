#!/usr/bin/env node
import { createProgram } from './admin/program.ts';
import { describeError } from './describe-error.ts';
import { WorkerFailed } from './worker-failed.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof WorkerFailed)) process.stderr.write(`latchkey-server: ${describeError(error)}\n`);
  process.exitCode = 1;
}
