import { isStoreError, StoreError } from '../contract/errors.ts'
import type { FieldPath } from '../contract/query.ts'
import { kindOf } from '../options/check-options.ts'
import { fingerprintOf } from './cursor.ts'
import { fieldName, pathOf, pathText } from './parse.ts'

// Indexes that a store of documents keeps for queries: an option, and their making by several processes at once.

/** An index over fields of documents. */
export interface DeclaredIndex {
  readonly paths: readonly FieldPath[]
  /** On the server. */
  readonly name: string
}

/** Most paths of an index: MySQL has 16 columns for one, and each path takes three. */
const mostPaths = 4

/** The facts of a store that decide about its indexes. */
export interface IndexPlace {
  /** Its indexes are called so, with at most 15 characters after it. */
  readonly dataset: string
  readonly documents: boolean
  /** Whether its server can have an index over a path. @default any */
  readonly canHave?: ((path: FieldPath) => boolean) | undefined
}

/**
 * The option `indexes`, checked: lists of paths, as queries name them.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function declaredIndexes(indexes: unknown, place: IndexPlace): readonly DeclaredIndex[] {
  if (indexes === undefined) return []
  if (!place.documents) throw wrong("indexes is for values: 'document'.")
  if (!Array.isArray(indexes))
    throw wrong(`indexes must be a list of lists of paths, got ${kindOf(indexes)}.`)
  const made = indexes.map((paths: unknown, i) => declaredIndex(paths, `indexes[${i}]`, place))
  return [...new Map(made.map((index) => [index.name, index])).values()]
}

function declaredIndex(given: unknown, where: string, { dataset, canHave }: IndexPlace): DeclaredIndex {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostPaths)
    throw wrong(`${where} must be a list of 1 to ${mostPaths} paths.`)
  const paths = given.map((text) => pathIn(where, text))
  if (new Set(paths.map(fieldName)).size < paths.length) throw wrong(`${where} names a path twice.`)
  const impossible = paths.find((path) => canHave?.(path) === false)
  if (impossible !== undefined)
    throw wrong(`${where}: this server cannot have an index over ${JSON.stringify(pathText(impossible))}.`)
  return { paths, name: `${dataset}_${fingerprintOf(JSON.stringify(paths))}` }
}

function pathIn(where: string, text: unknown): FieldPath {
  try {
    return pathOf(text)
  } catch (error) {
    throw isStoreError(error) ? wrong(`${where}: ${error.message}`) : error
  }
}

/** The paths of these indexes by `fieldName`. */
export function indexedPaths(indexes: readonly DeclaredIndex[]): ReadonlyMap<string, FieldPath> {
  return new Map(indexes.flatMap(({ paths }) => paths.map((path) => [fieldName(path), path])))
}

/** How the indexes of a store are looked at and made. */
export interface IndexMaking {
  readonly prepare: boolean
  /** The function of the adapter that prepares, for errors. */
  readonly remedy: string
  /** Names of all indexes that are there, those of others included. */
  readonly look: () => Promise<readonly string[]>
  /** Make one, unless it is there. */
  readonly make: (index: DeclaredIndex) => Promise<unknown>
}

/** Attempts that fail as somebody else is at it. */
const mostFailures = 4

/**
 * See that the declared indexes are there, and make them if that was asked for. Other processes may do the same at the same time: one that fails
 * looks whether the index is there.
 *
 * @throws {StoreError} `NOT_PREPARED`; what `make` throws
 */
export async function openIndexes(
  indexes: readonly DeclaredIndex[],
  { prepare, remedy, look, make }: IndexMaking,
): Promise<void> {
  for (let failures = 0; ; ) {
    const names = indexes.length === 0 ? [] : await look()
    const missing = indexes.find(({ name }) => !names.includes(name))
    if (missing === undefined) return
    if (!prepare) throw noIndex(missing, remedy)
    try {
      await make(missing)
    } catch (error) {
      if (++failures === mostFailures) throw error
      continue
    }
    if (!(await look()).includes(missing.name)) throw noIndex(missing, remedy)
  }
}

/** The error for an index that is not there. */
export function noIndex({ name, paths }: DeclaredIndex, remedy: string): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    `There is no index ${name} over ${paths.map(pathText).join(', ')}. ${remedy}`,
  )
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
