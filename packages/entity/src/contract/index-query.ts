import { kindOf, StoreError } from '@unikv/core/adapter'
import { keyPartsOf } from '../definition/key-parts.ts'
import { type Index, idText, type Layout, named } from '../layout/layout.ts'
import type { IndexValues } from '../layout/stored-entity.ts'
import type { IndexSettings } from './entity-db.ts'

/** The entities that `byIndex` looks for. */
export interface IndexQuery {
  readonly index: Index
  /** The key, by the names of the properties. */
  readonly values: IndexValues
  readonly limit: number
  readonly after: Readonly<Record<string, unknown>> | undefined
}

/** @throws {StoreError} `INVALID_ARGUMENT` for an index that the type does not have, or a key that does not fit it */
export function keyOfIndex(
  layout: Layout,
  index: unknown,
  key: unknown,
  settings: IndexSettings,
): IndexQuery {
  const name = Array.isArray(index) ? index.join(',') : String(index)
  const found = layout.indexes.find((one) => one.name === name)
  if (found === undefined) throw noIndex(layout, name)
  const values = Array.isArray(index) ? key : [key]
  if (!Array.isArray(values) || values.length !== found.on.length)
    throw invalid(
      `The key of the index on ${name} of ${layout.type.name} must be a list of ${found.on.length} values, got ${listOrKind(key)}.`,
    )
  const from = Object.fromEntries(found.on.map((property, at) => [property, values[at] as unknown]))
  const parts = keyPartsOf(`the index of ${layout.type.name}`, found.on, from)
  const { limit = Number.POSITIVE_INFINITY, after } = settings
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit > 0))
    throw invalid(`\`limit\` of byIndex() must be a positive whole number, got ${String(limit)}.`)
  if (after !== undefined) idText(layout, after)
  return { index: found, values: named(found.on, parts), limit, after }
}

function listOrKind(given: unknown): string {
  return Array.isArray(given) ? `a list of ${given.length}` : kindOf(given)
}

function noIndex({ type, indexes }: Layout, name: string): StoreError {
  const has = indexes.length === 0 ? 'none' : indexes.map((one) => one.name).join('; ')
  return invalid(`${type.name} has no index on ${name}. Its indexes: ${has}.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
