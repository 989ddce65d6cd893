import { kindOf, ownSignal, StoreError } from '@unikv/core/adapter'
import type { settingsOf } from './options.ts'
import { Pace } from './transfer/pace.ts'
import type { Ways } from './ways.ts'

/** At a low rate, pages are so small that records flow. */
const pagesPerSecond = 4
const mostPageSize = 1_000

/** How stores are asked, by the settings of a tool. */
export function waysOf({
  timeoutMs,
  signal,
  recordsPerSecond,
  onProgress,
}: ReturnType<typeof settingsOf>): Ways {
  const pageSize =
    recordsPerSecond === undefined
      ? undefined
      : Math.max(1, Math.min(mostPageSize, Math.ceil(recordsPerSecond / pagesPerSecond)))
  return {
    timeoutMs,
    signal: ownSignal(signal),
    pageSize,
    pace: recordsPerSecond === undefined ? undefined : new Pace(recordsPerSecond),
    told: onProgress,
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` for an empty path */
export function checkedPath(path: string): string {
  if (path !== '') return path
  throw invalid('The path of a snapshot must not be empty.')
}

/** @throws {StoreError} `INVALID_ARGUMENT` for a value that is neither a path nor such a stream */
export function checkStream(whose: string, stream: unknown, can: 'read' | 'write'): void {
  const methods: readonly string[] = can === 'read' ? ['read', 'pipe', 'on'] : ['write', 'end', 'on']
  const found = Object(stream) as Record<string, unknown>
  if (methods.every((method) => typeof found[method] === 'function')) return
  const kind = can === 'read' ? 'readable' : 'writable'
  throw invalid(`${whose}() takes a path or a ${kind} stream, got ${kindOf(stream)}.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
