import { checkMs, checkOptions, kindOf, type OptionNames, StoreError } from '@unikv/core/adapter'
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

const settingNames: OptionNames<AllSettings> = {
  timeoutMs: true,
  signal: true,
  retry: true,
  onRetry: true,
  limit: true,
  after: true,
  olderThanMs: true,
  onProgress: true,
  where: true,
  orderBy: true,
  of: true,
  scan: true,
}

/** The settings of every call of a database together. */
interface AllSettings {
  timeoutMs: never
  signal: never
  retry: never
  onRetry: never
  limit: never
  after: never
  olderThanMs: never
  onProgress: never
  where: never
  orderBy: never
  of: never
  scan: never
}

/** @throws {StoreError} `INVALID_ARGUMENT` for a setting that the call does not have */
export function checkSettings(
  operation: string,
  settings: unknown,
  more: readonly (keyof AllSettings)[] = [],
): void {
  if (settings === undefined) return
  const known = ['timeoutMs', 'signal', ...more] as const
  const names = Object.fromEntries(known.map((name) => [name, settingNames[name]]))
  checkOptions(operation, settings, names, 'INVALID_ARGUMENT')
  const { timeoutMs, olderThanMs, ...given } = settings as { readonly [N in keyof AllSettings]?: unknown }
  checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
  checkMs({ olderThanMs }, { least: 0, code: 'INVALID_ARGUMENT' })
  for (const name of ['onRetry', 'onProgress'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'function')
      throw invalid(`\`${name}\` of ${operation}() must be a function, got ${kindOf(given[name])}.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
