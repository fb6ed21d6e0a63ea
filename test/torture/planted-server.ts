/** The built server, with the bug that `PLANT` names. `PLANTED` is the path of the server. */
import { plant } from './plants.ts';

plant(process.env.PLANT);
await import(String(process.env.PLANTED));
