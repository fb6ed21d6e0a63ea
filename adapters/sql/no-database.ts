/** How a database is opened. */
export interface Opening {
  /** Throw `NoDatabase` if there is none, instead of making one. */
  readonly mustExist?: boolean;
}

/** Nothing of this program is where a database was looked for, and the caller did not want a new one. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase';

  readonly place: string;

  constructor(place: string) {
    super(`There is no Latchkey database at ${place}.`);
    this.place = place;
  }
}
