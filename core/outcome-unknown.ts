/**
 * Thrown by an adapter if a change may or may not have been made, because the commit was sent but the reply was lost.
 * The caller must not undo anything that the change would depend on.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
