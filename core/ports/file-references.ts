/** Knows which stored files something still refers to: products, templates and uploads. */
export interface FileReferences {
  /** Those of the keys that nothing refers to. */
  unreferenced(keys: readonly string[]): Promise<string[]>;
}
