/**
 * Thrown by an adapter when a change may or may not have been made: its commit was sent, and the answer was lost. Whoever
 * catches it must not undo anything that the change, if it was made, depends on.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
