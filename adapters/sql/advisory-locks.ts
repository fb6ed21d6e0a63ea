/** The numbers of all advisory locks in Postgres. They are in one place so that no two are the same. */
export const advisoryLocks = {
  /** Held while a migration runs. */
  schema: 1_279_609_416,
  /** Held while license keys are added. */
  keys: 1_279_609_417,
  /** Held while settings of the site are changed. */
  settings: 1_279_609_418,
  /** Held while the page of a seller is changed. */
  sellerPages: 1_279_609_419,
} as const;
