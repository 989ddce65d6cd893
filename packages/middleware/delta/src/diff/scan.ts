import { BaseIndex } from './base-index.ts'
import type { DeltaWriter } from './delta-writer.ts'
import { minCopyBytes } from './format.ts'
import { type Comparable, matchBackward, matchForward } from './match-length.ts'

export interface ScanSettings {
  readonly windowSize: number
  readonly step: number
  /** Where in the target to stop. */
  readonly end: number
}

export const T = { reach: 64, probe: 512, margin: 32, lazy: 128, steal: 64 }

/** Find copies for the target from the writer's end on, and hand them to the writer. */
export function scan(
  base: Comparable,
  target: Comparable,
  writer: DeltaWriter,
  settings: ScanSettings,
): void {
  const { windowSize, step, end } = settings
  const { length: baseLength } = base
  const lastStart = end - windowSize
  let index: BaseIndex | undefined
  const runs = new Int32Array(2 * T.reach + 4)
  let at = writer.end
  while (at < end) {
    const count = alignedRuns(base, target, runs, { at, shift: writer.shift, end, windowSize })
    const alignedEnd = count === 0 ? at : runs[count - 1]! + runs[count - 2]!
    if (count === 0 || alignedEnd - at < T.probe) {
      if (at > lastStart || base.length < windowSize) {
        if (count === 0) break
      } else {
        index ??= new BaseIndex(base, windowSize, step)
        const last = count === 0 ? lastStart : Math.min(lastStart, at + step)
        let found = index.find(target, at, last, end)
        if (found === -1 && count === 0) break
        if (found !== -1) {
          let from = index.from
          let length = index.length
          // a longer one close behind?
          while (length < T.lazy) {
            const next = index.find(target, found + 1, Math.min(lastStart, found + step), end)
            if (next === -1) break
            if (next + index.length <= found + length + (next - found)) break
            found = next
            from = index.from
            length = index.length
          }
          if (count === 0 || found + length > alignedEnd + T.margin) {
            const limit = Math.min(
              from,
              found - writer.end + (writer.lastLength <= T.steal ? writer.lastLength : 0),
            )
            const back = matchBackward(target, found, base, from, limit)
            writer.copy(from - back, found - back, length + back)
            at = found + length
            continue
          }
        }
      }
    }
    const shift = writer.shift
    for (let i = 0; i < count; i += 2) writer.copy(runs[i]! + shift, runs[i]!, runs[i + 1]!)
    at = alignedEnd
  }
}

function alignedRuns(
  base: Comparable,
  target: Comparable,
  runs: Int32Array,
  { at: start, shift, end, windowSize }: { at: number; shift: number; end: number; windowSize: number },
): number {
  const limit = Math.min(end, base.length - shift)
  const wordLimit = limit - 4
  let count = 0
  let matched = 0
  let missed = 0
  let at = start
  while (at <= wordLimit) {
    if (target.word(at) !== base.word(at + shift)) {
      at++
      if (++missed > T.reach) return 0
      continue
    }
    const length = matchForward(target, at, base, at + shift, limit - at)
    runs[count++] = at
    runs[count++] = length
    at += length
    matched += length
    if (length >= windowSize || at === limit || (matched >= windowSize && matched >= 2 * missed)) return count
  }
  return 0
}
