import {
  checkedMs,
  kindOf,
  type OptionNames,
  ownSignal,
  StoreError,
  unfailingListener,
} from '@unikv/core/adapter'
import type { CopyOptions, FillOptions, RestoreOptions, SnapshotOptions, ToolOptions } from './options.ts'
import { Pace } from './transfer/pace.ts'
import type { Ways } from './ways.ts'

const toolNames: OptionNames<ToolOptions> = {
  signal: true,
  timeoutMs: true,
  recordsPerSecond: true,
  onProgress: true,
}
const fillNames: OptionNames<FillOptions> = {
  ...toolNames,
  allowEmpty: true,
  overwrite: true,
  resume: true,
  dropExpiry: true,
  verify: true,
}
export const restoreNames: OptionNames<RestoreOptions> = { ...fillNames, keys: true, maxBlockBytes: true }
export const snapshotNames: OptionNames<SnapshotOptions> = {
  ...toolNames,
  allowEmpty: true,
  keys: true,
  compression: true,
  overwrite: true,
  count: true,
}
export const copyNames: OptionNames<CopyOptions> = { ...fillNames, count: true }

/** At a low rate, pages are so small that records flow. */
const pagesPerSecond = 4
const mostPageSize = 1_000

/**
 * How stores are asked, by the options of a tool.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkedWays(whose: string, options: ToolOptions): Ways {
  const { timeoutMs = 30_000, signal, recordsPerSecond, onProgress } = options
  if (recordsPerSecond !== undefined && !(typeof recordsPerSecond === 'number' && recordsPerSecond > 0))
    throw invalid('recordsPerSecond must be a number above 0.')
  const pageSize =
    recordsPerSecond === undefined
      ? undefined
      : Math.max(1, Math.min(mostPageSize, Math.ceil(recordsPerSecond / pagesPerSecond)))
  return {
    timeoutMs: checkedMs('timeoutMs', timeoutMs, { code: 'INVALID_ARGUMENT' }),
    signal: ownSignal(signal),
    pageSize,
    pace: recordsPerSecond === undefined ? undefined : new Pace(recordsPerSecond),
    told: unfailingListener(whose, 'onProgress', onProgress),
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` for a switch that is neither true nor false, nor left away */
export function checkSwitches<O extends object>(options: O, names: readonly (keyof O & string)[]): void {
  for (const name of names) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'boolean')
      throw invalid(`${name} must be true or false, got ${kindOf(value)}.`)
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` for an option that is not a whole number above 0 */
export function checkWhole(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return
  throw invalid(`${name} must be a whole number above 0.`)
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
