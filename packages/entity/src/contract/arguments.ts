import { any, checkOptions, func, kindOf, ms, readCall, StoreError } from '@unikv/core/adapter'
import { keyPartsOf } from '../definition/key-parts.ts'
import type { Layout } from '../layout/layout.ts'

/** @throws {StoreError} `INVALID_ARGUMENT` if the entity to be created is not an object, or has its generated property */
export function checkGenerated({ type }: Layout, entity: unknown): void {
  if (Object(entity) !== entity)
    throw invalid(`create() takes the properties of ${type.name} as an object, got ${kindOf(entity)}.`)
  const { generated } = type
  if (generated === undefined || (entity as Record<string, unknown>)[generated] === undefined) return
  throw invalid(`\`${generated}\` of ${type.name} is generated: leave it out in create().`)
}

/** @throws {StoreError} `INVALID_ARGUMENT` if a property of an index is missing, or cannot stand in a key */
export function checkIndexed({ type, indexes }: Layout, entity: unknown): void {
  for (const { name, on } of indexes) keyPartsOf(`${type.name}, which has an index on ${name},`, on, entity)
}

/** @throws {StoreError} `INVALID_ARGUMENT` if it is not a list */
export function checkIds({ type }: Layout, ids: unknown): void {
  if (!Array.isArray(ids)) throw invalid(`getMany() takes a list of ids of ${type.name}, got ${kindOf(ids)}.`)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for settings of a call of a transaction: those of `run` hold for all of them */
export function checkNoSettings(operation: string, settings: unknown): void {
  if (settings === undefined) return
  throw invalid(`tx.${operation}() takes no settings, got ${kindOf(settings)}. Give them to run().`)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for anything else than a page */
export function checkPage(settings: unknown): void {
  checkOptions('tx.byIndex', settings, { limit: true, after: true }, 'INVALID_ARGUMENT')
}

/** @throws {StoreError} `INVALID_ARGUMENT` if a property of an index differs */
export function checkUnchanged(
  { type, indexes }: Layout,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  const changed = indexes.flatMap(({ on }) => on).find((property) => before[property] !== after[property])
  if (changed === undefined) return
  throw invalid(
    `\`${changed}\` of ${type.name} is in an index, so it cannot change. Delete the entity and create another.`,
  )
}

/** The settings of every call of a database together. */
const table = {
  timeoutMs: ms(undefined),
  signal: any(),
  retry: any(),
  onRetry: func(),
  limit: any(),
  after: any(),
  olderThanMs: ms(undefined, { least: 0 }),
  onProgress: func(),
  where: any(),
  orderBy: any(),
  of: any(),
  scan: any(),
}

/** @throws {StoreError} `INVALID_ARGUMENT` for a setting that the call does not have */
export function checkSettings(
  operation: string,
  settings: unknown,
  more: readonly (keyof typeof table)[] = [],
): void {
  if (settings === undefined) return
  const known = ['timeoutMs', 'signal', ...more] as const
  readCall(operation, Object.fromEntries(known.map((name) => [name, table[name]])), settings)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
