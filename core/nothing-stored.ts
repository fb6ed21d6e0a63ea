import { Unavailable } from './unavailable.ts';

/** Thrown if the file storage is unavailable and no part of the file was sent, so that nothing needs to be deleted. */
export class NothingStored extends Unavailable {}
