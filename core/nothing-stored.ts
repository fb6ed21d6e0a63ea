import { Unavailable } from './unavailable.ts';

/** Thrown by a file storage that is out if it sent nothing of the file: nothing has to be deleted. */
export class NothingStored extends Unavailable {}
