import type { Trail } from '../tree/trail.ts'

/** The JSON view of a document: numbers with all their digits, keys in the order of the document. */
export type Data = null | boolean | string | NumberText | readonly Data[] | DataMap

/** Keys and values, in an order. */
export type DataMap = ReadonlyMap<string, Data>

/** A number as JSON writes it. */
export interface NumberText {
  readonly digits: string
  /** The element that it stands in. */
  readonly trail?: Trail | undefined
}

/** Whether a value is a number. */
export function isNumberText(data: unknown): data is NumberText {
  return typeof data === 'object' && data !== null && 'digits' in data
}

/** Whether a value has keys. */
export function isDataMap(data: Data): data is DataMap {
  return typeof data === 'object' && data !== null && !isList(data) && !isNumberText(data)
}

/** Whether a value is a list. */
export function isList(data: Data): data is readonly Data[] {
  return Array.isArray(data)
}
