import { Unavailable } from './unavailable.ts';

/** Thrown by an unavailable file storage if it sent nothing of the file, so that nothing needs to be deleted. */
export class NothingStored extends Unavailable {}
