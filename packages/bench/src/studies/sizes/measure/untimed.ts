import { closedLoop } from '../../../loop/closed-loop.ts'
import { type CellInput, keyOf } from './cell-input.ts'
import { leastOperations } from './phase.ts'

/** Operations in flight where nothing is measured. */
const WORKERS = 32

/**
 * What has to happen but is not measured: as fast as the store takes it. Ends with the first error, and after the time
 * that a phase may take.
 *
 * @returns how many operations were done, from index 0 on
 * @throws the first error, or the reason of the signal
 */
export async function untimed(
  { maxMs, signal }: CellInput,
  count: number,
  start: (index: number) => Promise<unknown>,
  check?: (index: number, answer: unknown) => void,
): Promise<number> {
  if (count === 0) return 0
  const work = { kinds: ['untimed'], pick: () => 0, start: (_kind: number, index: number) => start(index) }
  const checked = (_kind: number, index: number, answer: unknown): undefined => {
    check?.(index, answer)
    return undefined
  }
  const result = await closedLoop(check === undefined ? work : { ...work, check: checked }, {
    workers: WORKERS,
    operations: count,
    durationMs: maxMs,
    atLeast: leastOperations,
    stopsOnError: true,
    signal,
  })
  signal.throwIfAborted()
  if (result.errors > 0) throw result.firstError
  return result.operations
}

/**
 * Delete the keys of a cell from one index to another. Keys that a slow store does not delete in time go with the run's
 * namespace.
 */
export async function deleteKeys(input: CellInput, from: number, to: number): Promise<void> {
  await untimed(input, to - from, (index) => input.keys.delete(keyOf(input, from + index)))
}
