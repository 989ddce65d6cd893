import { formatMs } from '@unikv/bench/words'
import { type AnyStore, isStoreError, type ServerStatistics } from '@unikv/core'
import { type AnyStack, adapterOf, within } from '@unikv/core/adapter'
import { type Health, loadConfig, openUnrecorded, type StoreHealth } from '@unikv/manager'
import { sectionsText } from '../columns.ts'
import { noRecords } from '../data/there.ts'
import { serverWords } from '../monitor/server-words.ts'
import type { Terminal } from '../terminal.ts'

/** Options of `unikv check`. */
export interface CheckOptions {
  readonly config?: string
  readonly timeout: number
  readonly json?: true
}

/** The health of a store, and what its server tells of itself, or the code of the error if it may not. */
type Checked = StoreHealth & { readonly server?: ServerStatistics | { readonly error: string } }

/** Ask each store of the configuration for an answer, and print what it says. Returns whether all of them gave one. */
export async function check(
  { config, timeout, json }: CheckOptions,
  { out, width }: Terminal,
): Promise<boolean> {
  const { stores, ready, close } = await openUnrecorded(await loadConfig(config))
  try {
    const timeoutMs = timeout * 1000
    const health = await ready({ timeoutMs })
    const checked = await withServers(health, stores, timeoutMs)
    const whole = { ...health, stores: checked }
    out(json === true ? `${JSON.stringify(whole, null, 2)}\n` : textOf(checked, width))
    return health.isReady
  } finally {
    await close()
  }
}

async function withServers(
  { stores: health }: Health,
  stores: Readonly<Record<string, AnyStack>>,
  timeoutMs: number,
): Promise<Readonly<Record<string, Checked>>> {
  const checked = Object.entries(health).map(async ([name, one]): Promise<[string, Checked]> => {
    const stack = stores[name]
    if (!one.isReady)
      return [name, one.code === 'NOT_PREPARED' ? { ...one, message: noRecords(one.message) } : one]
    if (stack === undefined) return [name, one]
    const server = await serverOf(adapterOf(stack), timeoutMs)
    return [name, server === undefined ? one : { ...one, server }]
  })
  return Object.fromEntries(await Promise.all(checked))
}

async function serverOf(store: AnyStore, timeoutMs: number): Promise<Checked['server']> {
  try {
    return await store.statistics?.(within(timeoutMs))
  } catch (error) {
    return { error: isStoreError(error) ? error.code : 'UNAVAILABLE' }
  }
}

function textOf(stores: Readonly<Record<string, Checked>>, width: number | undefined): string {
  const rows = Object.entries(stores).map(([name, health]) =>
    health.isReady
      ? [name, '✓', `answers in ${formatMs(health.tookMs)}`, wordsOf(health.server)]
      : [name, '✗', `${health.code}: ${health.message}`, ''],
  )
  return sectionsText([{ head: ['store', '', '', 'server'], rows }], width)
}

function wordsOf(server: Checked['server']): string {
  if (server === undefined) return ''
  return 'error' in server ? `tells nothing (${server.error})` : serverWords(server)
}
