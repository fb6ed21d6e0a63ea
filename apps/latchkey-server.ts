#!/usr/bin/env node
import { createProgram } from './admin/program.ts';
import { describeError } from './describe-error.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.stderr.write(`latchkey-server: ${describeError(error)}\n`);
  process.exitCode = 1;
}
