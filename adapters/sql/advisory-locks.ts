/** The numbers of the advisory locks in Postgres, by what they guard. Each is named here, so that no two are the same. */
export const advisoryLocks = {
  /** The steps of the schema. */
  schema: 1_279_609_416,
  /** The keys of licenses. */
  keys: 1_279_609_417,
} as const;
