/** A worker could not start. It has logged the reason itself. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
}
