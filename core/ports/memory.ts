/** Remembers a limited number of values. What was used least recently is forgotten first. */
export interface Memory<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
}
