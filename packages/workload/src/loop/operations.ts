import type { Awaitable } from '@unikv/core'

/**
 * The operations that a loop executes. One sequence number is picked and started once, in order, so a seeded `pick` gives the
 * same operations for any number of workers.
 */
export interface Operations {
  /** Names of the kinds of operation, such as `read` and `update`. */
  readonly kinds: readonly string[]
  /** Index of the kind that comes next. */
  pick(sequence: number): number
  /** Start it. A rejection counts as an error. */
  start(kind: number, sequence: number): Awaitable<unknown>
  /** Check an answer after its time was taken. If this throws, the operation counts as an error. */
  check?(kind: number, sequence: number, answer: unknown): void
}

/** Operations of one kind. */
export function operations(name: string, start: (sequence: number) => Awaitable<unknown>): Operations {
  return { kinds: [name], pick: () => 0, start: (_kind, sequence) => start(sequence) }
}
