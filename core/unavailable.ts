/** Thrown by an adapter if its service is unavailable at the moment. The same call may succeed later. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}

/** Thrown if too much work of this caller waits already, while others are served. */
export class TooMuchAtOnce extends Unavailable {
  override readonly name = 'TooMuchAtOnce';

  constructor() {
    super('Too much work of this caller is waiting.');
  }
}

/** Thrown if work was begun, its service is unavailable at the moment, and doing the same again completes it. */
export class Repeatable extends Unavailable {
  override readonly name = 'Repeatable';
}
