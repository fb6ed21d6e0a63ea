/** Thrown by an adapter whose service is out for the moment; the same call may succeed later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
