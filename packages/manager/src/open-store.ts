import { type KeyValue, StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import { closeAll } from './closing.ts'
import type { Checked } from './configuration/check-configuration.ts'
import type { Configuration, StoreConfiguration } from './configuration/configuration.ts'
import { configured, type OpenStoreOptions } from './configuration/configured.ts'
import { orderOf } from './configuration/references.ts'
import { type Opened, openedStore } from './stack.ts'

/** One store of a configuration, opened by itself. */
export interface SingleStore {
  readonly kv: KeyValue<string, unknown>
  /** The URL of its records, also where it takes them `from` another store; `undefined` for others. */
  readonly url: string | undefined
  /** Closes it, and the stores that it uses. */
  close(this: void): Promise<void>
}

/**
 * Open one store of a configuration, and those that it uses, but no other. Its calls are not monitored.
 *
 * @throws {StoreError} `INVALID_CONFIG` as `openStores`, and for a name that is not there
 */
export async function openStore(
  config: Configuration,
  name: string,
  options: OpenStoreOptions = {},
): Promise<SingleStore> {
  if (typeof name !== 'string')
    throw new StoreError(
      'INVALID_ARGUMENT',
      `openStore() takes a configuration and a name, got ${kindOf(name)}.`,
    )
  return opened(configured('openStore', config, options), name, options.prepare)
}

/** The same of a checked configuration. */
export async function opened({ stores }: Checked, name: string, prepare = true): Promise<SingleStore> {
  const all: Opened[] = []
  const used = new Map<string, Opened>()
  const close = (): Promise<void> => closeAll(all).catch(throwOnly)
  try {
    for (const one of orderOf({ stores }, [name])) {
      const store = stores[one] as StoreConfiguration
      const next = await openedStore(one, store, used, { above: [], below: [], prepare })
      all.push(next)
      used.set(one, next)
    }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  return { kv: (all.at(-1) as Opened).kv, url: urlOf(name, stores), close }
}

/** One failure is told as it is, and not as a list. */
function throwOnly(error: AggregateError): never {
  throw error.errors.length === 1 ? error.errors[0] : error
}

function urlOf(name: string, stores: Checked['stores']): string | undefined {
  const { url, from } = stores[name] as StoreConfiguration
  return from === undefined ? url : urlOf(from, stores)
}
