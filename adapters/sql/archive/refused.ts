/** An import that was refused, told in one line. It has changed nothing. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  constructor(why: string, options?: ErrorOptions) {
    super(`Nothing was imported: ${why}`, options);
  }
}
