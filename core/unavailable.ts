/** Thrown by an adapter if its service is unavailable at the moment. The same call may succeed later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
