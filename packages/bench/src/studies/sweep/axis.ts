import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { parseSize } from '../../data/size-list.ts'

/** The parameters that a sweep may go over. */
export const axisFields = [
  'concurrency',
  'threads',
  'records',
  'value-size',
  'batch',
  'scan-length',
  'read-share',
] as const

/** A parameter that a sweep goes over. */
export type AxisField = (typeof axisFields)[number]

/** The parameter of a sweep and its values, which rise. */
export interface Axis {
  readonly field: AxisField
  readonly values: readonly number[]
}

/** The callers of a sweep that names none. */
export const defaultAxis: Axis = {
  field: 'concurrency',
  values: [1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000],
}

/** The unit of each parameter, for axes and tables. */
export const axisWords: Readonly<Record<AxisField, string>> = {
  concurrency: 'callers',
  threads: 'threads',
  records: 'records',
  'value-size': 'bytes of a value',
  batch: 'records of a batch',
  'scan-length': 'records of a scan',
  'read-share': '% reads',
}

const mostValues = 100

/**
 * The axis of a text such as `concurrency=1,10,100` or `value-size=100,1K,10K`; `concurrency` alone has its default values.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the part that is wrong
 */
export function parseAxis(text: string): Axis {
  const [, name = '', list] = /^\s*([^=]*?)\s*(?:=(.*))?$/s.exec(text) ?? []
  const field = axisFields.find((one) => one === name)
  if (field === undefined) throw unknownField(name)
  if (list === undefined && field === defaultAxis.field) return defaultAxis
  if (list === undefined || list.trim() === '')
    throw wrong(`'${text}' has no values. Write them like ${field}=1,10,100.`)
  const values = list.split(',').map((part) => valueOf(field, part.trim()))
  const distinct = [...new Set(values)].sort((a, b) => a - b)
  if (distinct.length > mostValues)
    throw wrong(`${distinct.length} values are too many: a sweep takes up to ${mostValues}.`)
  return { field, values: distinct }
}

function valueOf(field: AxisField, text: string): number {
  if (field === 'read-share') return shareOf(text)
  const most = mostOf[field] ?? 1e9
  const value = numberOf(text)
  if (value >= 1 && value <= most) return value
  throw wrong(
    `'${text}' is not a value of ${field}. Write whole numbers from 1 to ${most.toLocaleString('en-US')}, such as 100 or 10K.`,
  )
}

/** The greatest values, as for a run of its own. */
const mostOf: Readonly<Partial<Record<AxisField, number>>> = {
  concurrency: 100_000,
  threads: 256,
  'value-size': 2 ** 30,
}

function numberOf(text: string): number {
  try {
    return parseSize(text)
  } catch {
    return Number.NaN
  }
}

/** Per cent. */
function shareOf(text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text) ?? []
  if (digits !== undefined && Number(digits) <= 100) return Number(digits)
  throw wrong(`'${text}' is not from 0 to 100 per cent of reads.`)
}

function unknownField(name: string): StoreError {
  const close = nearest(name, axisFields)
  const hint = close === undefined ? '' : ` Did you mean ${close}?`
  return wrong(`a sweep cannot go over '${name}'; it can go over ${axisFields.join(', ')}.${hint}`)
}

function wrong(why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `--over: ${why}`)
}
