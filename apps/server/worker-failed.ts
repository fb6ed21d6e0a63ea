/** A worker could not start; it has told why, in a line of its own. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
}
