import { types } from 'node:util'
import { checkFactoryOptions, kindOf, nearest, type OptionNames, StoreError } from '@unikv/core/adapter'
import { addFrames, type Frame } from '../figures.ts'
import { isOperation, type Operation, operations } from '../operation.ts'
import { type QueryName, queryNamed } from '../query.ts'
import { type Summarised, summarised } from '../summary.ts'
import type { KeptRecords, OnUnreadable } from './kept-records.ts'
import { periodMs, type Resolution, resolutions } from './periods.ts'

/** The part of the past that is asked for. */
export interface HistoryQuery {
  /** @default all */
  readonly store?: string | undefined
  /** @default all */
  readonly operation?: Operation | QueryName | undefined
  /** Milliseconds since the epoch, a date, or its text as in ISO 8601; without a zone it is UTC. @default as far back as this resolution is kept */
  readonly from?: number | string | Date | undefined
  /** The end, which does not belong to it. @default now */
  readonly to?: number | string | Date | undefined
  /** Length of the periods. @default 'minute' */
  readonly resolution?: Resolution | undefined
  /**
   * Called with the key of each record that cannot be read, such as one of another version; the sums leave it out.
   *
   * @default none: such a record rejects the whole call with its error
   */
  readonly onUnreadable?: OnUnreadable | undefined
}

/** The work of all processes: one operation of one store in one period. */
export interface HistoryPoint extends Summarised {
  /** When the period begins (milliseconds since the epoch). */
  readonly at: number
  /** How long it is; the last one may not be over. */
  readonly lengthMs: number
  readonly store: string
  readonly operation: Operation | QueryName
}

const names: OptionNames<HistoryQuery> = {
  store: true,
  operation: true,
  from: true,
  to: true,
  resolution: true,
  onUnreadable: true,
}

/** Read the past of all processes, by period, store and operation. */
export async function historyOf(
  records: KeptRecords,
  query: HistoryQuery,
  now: number,
): Promise<HistoryPoint[]> {
  checkFactoryOptions('history', query, names)
  const { resolution = 'minute' } = query
  if (!resolutions.includes(resolution))
    throw new StoreError('INVALID_ARGUMENT', `resolution must be one of ${resolutions.join(', ')}.`)
  checkOperation(query.operation)
  checkOnUnreadable(query.onUnreadable)
  if (query.store !== undefined && typeof query.store !== 'string')
    throw new StoreError('INVALID_ARGUMENT', `store must be a name, got ${kindOf(query.store)}.`)
  // Clocks of other machines may be ahead.
  const [fromAt, toAt] = [timeOf('from', query.from, 0), timeOf('to', query.to, now + periodMs.day)]
  if (query.from !== undefined && query.to !== undefined && fromAt > toAt)
    throw new StoreError('INVALID_ARGUMENT', 'from must not be after to.')
  const frames = new Map<number, Frame[]>()
  for (const { fromAt: at, frame } of await records.read(resolution, fromAt, toAt, query.onUnreadable))
    frames.set(at, [...(frames.get(at) ?? []), frame])
  return [...frames]
    .sort(([a], [b]) => a - b)
    .flatMap(([at, its]) => pointsOf(addFrames(its), query, { at, lengthMs: periodMs[resolution] }))
}

function pointsOf(
  frame: Frame,
  { store, operation }: HistoryQuery,
  period: { readonly at: number; readonly lengthMs: number },
): HistoryPoint[] {
  return Object.entries(frame)
    .filter(([name]) => store === undefined || store === name)
    .flatMap(([name, operations]) =>
      Object.entries(operations)
        .filter(([its]) => operation === undefined || operation === its)
        .map(([its, figures]) => ({
          ...period,
          store: name,
          operation: its as Operation | QueryName,
          ...summarised(figures),
        })),
    )
    .sort((a, b) => (`${a.store} ${a.operation}` < `${b.store} ${b.operation}` ? -1 : 1))
}

/** @throws {StoreError} `INVALID_ARGUMENT` for anything but a function */
export function checkOnUnreadable(given: unknown): void {
  if (given === undefined || typeof given === 'function') return
  throw new StoreError('INVALID_ARGUMENT', `onUnreadable must be a function, got ${kindOf(given)}.`)
}

function checkOperation(operation: string | undefined): void {
  if (operation === undefined || isOperation(operation) || queryNamed(operation) !== undefined) return
  const near = nearest(operation, operations)
  const hint = near === undefined ? `Known: ${operations.join(', ')}.` : `Did you mean '${near}'?`
  throw new StoreError('INVALID_ARGUMENT', `There is no operation '${operation}'. ${hint}`)
}

function timeOf(name: string, given: number | string | Date | undefined, missing: number): number {
  if (given === undefined) return missing
  const at = types.isDate(given) ? given.getTime() : typeof given === 'string' ? inText(given) : given
  if (typeof at === 'number' && Number.isFinite(at)) return at
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${name} must be a date such as 2026-11-26 or 2026-11-26T10:00Z, or milliseconds since the epoch.`,
  )
}

/** `Date` would take other texts too, and read those without a zone as local times. */
function inText(text: string): number {
  if (/^\d{9,15}$/.test(text)) return Number(text)
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(
      text.trim().replace(' ', 'T'),
    ) ?? []
  return Date.parse(`${day}${time ?? 'T00:00'}${zone}`)
}
