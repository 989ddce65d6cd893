import { type AnyStore, json, keyValue, StoreError } from '@unikv/core'
import { loadConfig, openUnrecorded } from '@unikv/manager'
import { open } from '@unikv/stores/lazy'
import {
  type LogStore,
  type TransactionStores,
  type Transactions,
  transactional,
  transactionLog,
  transactions,
} from '@unikv/transaction'
import { checkThere } from '../data/there.ts'
import { isUrl } from '../same-place.ts'

/** Says which logs and stores are meant. */
export interface LogOptions {
  readonly config?: string
  /** URL of a log, for programs without a configuration. */
  readonly log?: string
  /** `NAME=PLACE`: a store as transactions name it. */
  readonly store?: readonly string[]
}

/** A log with the stores of its transactions. */
export interface OpenedLog {
  readonly name: string
  readonly db: Transactions<TransactionStores>
}

/** The logs of a command. */
export interface OpenedLogs {
  readonly logs: readonly OpenedLog[]
  close(this: void): Promise<void>
}

/**
 * The logs of a configuration, each with the stores whose layers name it; or one log and its stores by their URLs.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is no log, `INVALID_ARGUMENT` for what is not there
 */
export async function openedLogs({ config, log, store = [] }: LogOptions): Promise<OpenedLogs> {
  const named = store.map(namedPlace)
  if (log === undefined) return byConfiguration(config, named)
  if (config !== undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Choose --config or --log: a configuration names the log itself.',
    )
  return byUrls(log, named)
}

type Named = readonly [name: string, place: string]

function namedPlace(text: string): Named {
  const [, name, place] = /^([^=:/]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && place !== undefined) return [name, place]
  throw new StoreError(
    'INVALID_ARGUMENT',
    '--store is NAME=PLACE, with the name that transactions() has for it.',
  )
}

async function byConfiguration(config: string | undefined, named: readonly Named[]): Promise<OpenedLogs> {
  const { stores, close } = await openUnrecorded(await loadConfig(config))
  try {
    const all: Readonly<Record<string, LogStore>> = stores
    const stands = [
      ...Object.entries(all),
      ...named.map(([name, place]) => [name, storeIn(all, place)] as const),
    ]
    const logs = new Map<LogStore, Record<string, LogStore>>()
    for (const [name, kv] of stands) {
      const log = transactionLog(kv)
      if (log !== undefined) logs.set(log, { ...logs.get(log), [name]: kv })
    }
    if (logs.size === 0)
      throw new StoreError(
        'INVALID_CONFIG',
        'No store of the configuration has the layer transactional, so it names no log.',
      )
    const nameOf = (log: LogStore): string => stands.find(([, kv]) => kv === log)?.[0] ?? log.name
    return { close, logs: Array.from(logs, ([log, its]) => openedLog(nameOf(log), log, its)) }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** A store has one name here. One that `--store` gives comes last, and is the name of transactions. */
function openedLog(name: string, log: LogStore, stores: Readonly<Record<string, LogStore>>): OpenedLog {
  const names = new Map(Object.entries(stores).map(([its, kv]) => [kv, its]))
  const own = Object.fromEntries(Array.from(names, ([kv, its]) => [its, kv]))
  return { name, db: transactions({ ...own, log }) }
}

function storeIn(stores: Readonly<Record<string, LogStore>>, place: string): LogStore {
  const kv = Object.hasOwn(stores, place) ? stores[place] : undefined
  if (kv !== undefined) return kv
  throw new StoreError(
    'INVALID_ARGUMENT',
    `The configuration has no store '${place}'. A URL needs --log, too.`,
  )
}

async function byUrls(logUrl: string, named: readonly Named[]): Promise<OpenedLogs> {
  const opened: { close(): Promise<void> }[] = []
  const close = async (): Promise<void> => void (await Promise.all(opened.map((one) => one.close())))
  try {
    const log = keyValue(await there('--log', logUrl), [json()])
    opened.push(log)
    const stores: Record<string, LogStore> = {}
    for (const [name, url] of named) {
      const kv = keyValue(await there('--store', url), [transactional({ log })] as never)
      opened.push(kv)
      stores[name] = kv
    }
    return { close, logs: [{ name: log.name, db: transactions({ ...stores, log }) }] }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** A store that is there: a mistyped path must not begin an empty log. */
async function there(option: string, url: string): Promise<AnyStore> {
  if (!isUrl(url))
    throw new StoreError('INVALID_ARGUMENT', `${option} takes a URL here, such as redis://127.0.0.1.`)
  await checkThere(url)
  return (await open(url, { prepare: false })) as AnyStore
}
