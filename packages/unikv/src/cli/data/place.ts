import { json, type KeyValue, keyValue, StoreError, text } from '@unikv/core'
import { codecOf } from '@unikv/core/adapter'
import { loadConfig, openStore } from '@unikv/manager'
import { open } from '@unikv/stores/lazy'
import { isUrl } from '../same-place.ts'
import { checkThere } from './there.ts'

/** The forms in which the command line reads and prints values. */
export type Form = 'text' | 'json' | 'bytes'

/** Which records a command is about. */
export interface PlaceOptions {
  readonly config?: string
  readonly as?: Form
  readonly namespace?: string
  readonly dataset?: string
  /** Make what is missing, such as a table. Commands that only read make nothing. @default true */
  readonly prepare?: boolean | undefined
}

/** The records of a command. */
export interface OpenedPlace {
  readonly kv: KeyValue<string, unknown>
  /** How its values are written and printed. */
  readonly form: Form
  close(this: void): Promise<void>
}

/**
 * A store by its URL, or by its name in the configuration.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for options that do not belong to it, and for a path that is not there where nothing is made
 */
export async function openedPlace(place: string, options: PlaceOptions): Promise<OpenedPlace> {
  const { kv, close, form } = isUrl(place) ? await byUrl(place, options) : await byName(place, options)
  return { kv: options.namespace === undefined ? kv : kv.namespace(options.namespace), form, close }
}

/** Use an opened store, and close it. If both fail, the error of the use is told: it says what became of the records. */
export async function closedAfter<T>({ close }: OpenedPlace, use: () => Promise<T>): Promise<T> {
  let outcome: T
  try {
    outcome = await use()
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  await close()
  return outcome
}

async function byUrl(
  url: string,
  { as: form = 'text', config, dataset, prepare }: PlaceOptions,
): Promise<OpenedPlace> {
  if (config !== undefined)
    throw new StoreError('INVALID_ARGUMENT', '--config is for a store by its name, but a URL was given.')
  if (prepare === false) await checkThere(url)
  const store = await open(url, { dataset, prepare })
  const codec = { text: [text()], json: [json()], bytes: [] }[form]
  const kv = keyValue(store, codec as []) as unknown as KeyValue<string, unknown>
  return { kv, form, close: () => kv.close() }
}

async function byName(name: string, { config, as, dataset, prepare }: PlaceOptions): Promise<OpenedPlace> {
  const wrong = as === undefined ? (dataset === undefined ? undefined : '--dataset') : '--as'
  if (wrong !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `${wrong} is for a URL: the configuration says it of ${name}.`)
  if (!/^[\w-]+$/.test(name))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `'${name}' is neither a URL, such as lmdb:./data, nor the name of a store in a configuration.`,
    )
  const { kv, url, close } = await openStore(await loadConfig(config), name, { prepare })
  try {
    if (prepare === false && url !== undefined) await checkThere(url)
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  const codec = codecOf(kv)
  return {
    kv,
    close,
    form: codec === undefined ? 'bytes' : codec === 'text' ? 'text' : 'json',
  }
}
