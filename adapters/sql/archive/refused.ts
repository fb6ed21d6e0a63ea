/** An import was refused and has changed nothing. The message is one line. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  constructor(why: string, options?: ErrorOptions) {
    super(`Nothing was imported: ${why}`, options);
  }
}
