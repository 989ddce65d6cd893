import type { Awaitable } from '@unikv/core'

/**
 * The operations that a loop executes. One sequence number is picked and started once, in order, so a seeded `pick` gives the
 * same operations for any number of workers.
 */
export interface Operations {
  /** Names of the kinds of operation, such as `read` and `update`. */
  readonly kinds: readonly string[]
  /**
   * Wait until an operation may begin, such as the next one of a user who thinks. A caller of a closed loop calls it before each pick; its
   * time is not that of an operation. Open loops refuse it.
   *
   * @param ended aborted when no operation begins any more: all waits must end then
   * @returns whether there is an operation to pick; `false` is the end for this caller
   */
  ready?(ended: AbortSignal): Awaitable<boolean>
  /** Index of the kind that comes next. */
  pick(sequence: number): number
  /** Start it. A rejection counts as an error. */
  start(kind: number, sequence: number): Awaitable<unknown>
  /**
   * Check an answer after its time was taken. If this throws, the operation counts as an error.
   *
   * @returns the kind that it counts as, such as the misses of reads; `undefined`: the kind that was picked
   */
  check?(kind: number, sequence: number, answer: unknown): number | undefined
}

/**
 * Told of every operation when it ends, for a series over time or a threshold. Times of operations are in nanoseconds;
 * `atMs` counts from the start of the loop. It runs within the loop: it must be quick, and must not throw.
 */
export interface LoopObserver {
  /** An operation succeeded. In a closed loop both times are the same. */
  ended(kind: number, atMs: number, serviceNs: number, responseNs: number): void
  /** An operation failed. */
  failed(kind: number, atMs: number, error: unknown): void
}

/** Operations of one kind. */
export function operations(name: string, start: (sequence: number) => Awaitable<unknown>): Operations {
  return { kinds: [name], pick: () => 0, start: (_kind, sequence) => start(sequence) }
}

/**
 * The kind that comes next.
 *
 * @throws {RangeError} if `pick` returns none of the indexes of `kinds`
 */
export function nextKind(work: Operations, sequence: number): number {
  return known(work, work.pick(sequence), 'pick', sequence)
}

/**
 * The kind as which an answer counts, after its check.
 *
 * @throws {RangeError} if `check` returns none of the indexes of `kinds`; and what `check` throws
 */
export function checkedKind(work: Operations, kind: number, sequence: number, answer: unknown): number {
  const counted = work.check?.(kind, sequence, answer)
  return counted === undefined ? kind : known(work, counted, 'check', sequence)
}

function known({ kinds }: Operations, kind: number, by: string, sequence: number): number {
  if (kinds[kind] !== undefined) return kind
  throw new RangeError(
    `${by} of operation ${sequence} returned ${String(kind)}, but there are ${kinds.length} kinds of operation.`,
  )
}
