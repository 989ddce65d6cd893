import type { Bytes, Store, StoreError } from '@unikv/core'
import { importDefault, printable } from '../data/user-files.ts'
import { invalidArgument, messageOf } from '../options/invalid.ts'

const scheme = 'module:'

/** Whether a URL is that of a user's module, and not of a store that unikv knows. */
export function isOwnStore(url: string): boolean {
  return url.startsWith(scheme)
}

/** A module is loaded once for each opening, so that two openings of an exported store do not close each other's. */
let openings = 0

/**
 * The store of a user's module: its default export is a store, or a function that makes one, maybe as a promise.
 *
 * @param url `module:` and the path of the file, percent-encoded
 * @param options handed to the function: the dataset that is asked for
 * @throws {StoreError} `INVALID_ARGUMENT` if the module cannot be loaded, or makes no store
 */
export async function openOwnStore(
  url: string,
  options: Readonly<Record<string, unknown>>,
): Promise<Store<Bytes>> {
  const file = decodeURIComponent(url.slice(scheme.length))
  const found = await importDefault(file, 'store module', `${++openings}`)
  const wrong = (why: string, cause?: unknown): StoreError =>
    invalidArgument(`The store module ${printable(file)} ${why}`, cause)
  if (typeof found !== 'function') return checked(found, wrong)
  let made: unknown
  try {
    made = await found(options)
  } catch (cause) {
    throw wrong(`could not make its store: ${messageOf(cause)}`, cause)
  }
  return checked(made, wrong)
}

/** The parts without which nothing can be measured; capabilities are checked when it is used. */
function checked(found: unknown, wrong: (why: string) => StoreError): Store<Bytes> {
  if (typeof found !== 'object' || found === null)
    throw wrong('must export a store, or a function that makes one, as its default: export default memory().')
  const store = found as Partial<Store<Bytes>>
  const lacking = (['read', 'write', 'scan', 'close'] as const).filter(
    (verb) => typeof store[verb] !== 'function',
  )
  if (typeof store.name !== 'string') throw wrong('makes a store without a `name`.')
  if (typeof store.capabilities !== 'object' || store.capabilities === null)
    throw wrong('makes a store without `capabilities`.')
  if (lacking.length > 0)
    throw wrong(`makes a store without ${lacking.join(', ')}, so it is not a Store of @unikv/core.`)
  return store as Store<Bytes>
}
