/** Options for opening a database. */
export interface Opening {
  /** Whether to throw `NoDatabase` if there is no database. By default, a new one is created. */
  readonly mustExist?: boolean;
}

/** There is no Latchkey database at this place, and the caller did not want a new one. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase';

  readonly place: string;

  constructor(place: string) {
    super(`There is no Latchkey database at ${place}.`);
    this.place = place;
  }
}
