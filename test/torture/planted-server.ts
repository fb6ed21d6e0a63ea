/** The built server, with the bug that `PLANT` names. */
import { serverProgram } from '../support/server-process.ts';
import { plant } from './plants.ts';

plant(process.env.PLANT);
await import(serverProgram);
