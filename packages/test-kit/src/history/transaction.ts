/** The mark that a write of a transaction leaves on a key, unique for each write. `undefined` stands for an absent key. */
export type Stamp = string

/** One transaction, as its caller saw it. */
export interface RecordedTransaction {
  /** When it was begun, by a monotonic clock that all clients share; any unit. */
  readonly calledAt: number
  /** When its end was known; `Infinity` if it never was. */
  readonly returnedAt: number
  /** The stamps that it found, by key. Each key that it writes is among them. */
  readonly reads: ReadonlyMap<string, Stamp | undefined>
  /** The stamps that it left, by key. */
  readonly writes: ReadonlyMap<string, Stamp>
  /** `unknown`: it may have taken effect, or may still. One that certainly had no effect is not part of a history. */
  readonly result: 'committed' | 'unknown'
}
