import { once } from 'node:events'
import { type Bytes, type KeyValue, StoreError, supports } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import { type AnswerableTuner, type Dashboard, dashboard, type ShownManager } from '@unikv/dashboard'
import type { HttpServer } from '@unikv/http'
import {
  type Configuration,
  loadConfig,
  type OpenedHistory,
  openHistory,
  openUnrecorded,
} from '@unikv/manager'
import type { ShownAt } from '../bench/live/run-page.ts'
import type { Form } from '../data/place.ts'
import { checkThere } from '../data/there.ts'
import { isUrl } from '../same-place.ts'
import { hostsOf, listening, namedPlace, tokenOf } from '../serve/listening.ts'
import type { Terminal } from '../terminal.ts'

/** Options of `unikv dashboard`. */
export interface DashboardCommandOptions {
  readonly config?: string
  readonly as?: Form
  readonly port: number
  readonly host: string
  readonly hostname?: readonly string[]
  readonly token?: string
  readonly writable?: true
  readonly mcp?: true
  /** Started by a run, whose folder may not be there yet. */
  readonly ofRun?: true
}

/** Show the page until Ctrl-C. */
export async function showDashboard(
  places: readonly string[],
  options: DashboardCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { token } = tokenOf(options) as { readonly token: string } // never without one
  const folders = options.ofRun === true ? places : await resultsIn(places)
  const opened = await openedStores(places, folders, options)
  try {
    const access = { name: 'the owner', token, may: 'admin' } as const
    const page = dashboard(opened.manager, {
      tokens: [access],
      writable: options.writable,
      history: opened.history,
      reports: folders.length === 0 ? undefined : (await import('./reports.ts')).reportsIn(folders),
      tuner: await loggedIn(opened.manager),
      hosts: hostsOf(options),
    })
    const served = options.mcp === true ? await withTools(page, folders) : page
    const server = await listening(served, { port: options.port, host: options.host, replaceGlobals: true })
    const url = `${server.url}/#token=${token}`
    if (options.ofRun === true) await untilRead(page, url, terminal)
    else {
      const interrupted = new Promise<void>((end) => terminal.onInterrupt(end))
      const names = [...Object.keys(opened.manager.stores), ...folders].join(', ')
      const how = options.writable === true ? '' : ', read-only'
      terminal.error(`Showing ${names}${how}, until Ctrl-C:\n  ${url}\n`)
      if (options.mcp === true)
        terminal.error(`MCP, with Authorization: Bearer and the token:\n  ${server.url}/mcp\n`)
      await interrupted
    }
    page.close()
    await server.close()
  } finally {
    await opened.close()
  }
}

/** The page with the tools of `unikv mcp`. */
async function withTools(page: Dashboard, folders: readonly string[]): Promise<HttpServer> {
  const { withMcp } = await import('../mcp/over-http.ts')
  return withMcp(page, folders)
}

/** Wait for the end of the run that started this, and then for its last reader. */
async function untilRead({ listeners }: Dashboard, url: string, terminal: Terminal): Promise<void> {
  terminal.onInterrupt(() => {}) // Ctrl-C reaches both processes: the one that measures ends this one.
  const gone = once(process, 'disconnect')
  const ended = once(process, 'message')
  process.send?.({ url } satisfies ShownAt)
  await Promise.race([ended, gone])
  if (!process.connected || listeners() === 0) return
  process.send?.({ url } satisfies ShownAt)
  // A page whose connection was lost comes back within two seconds.
  for (let quietMs = 0; quietMs < 3_000 && process.connected; ) {
    await Promise.race([pause(500), gone])
    quietMs = listeners() === 0 ? quietMs + 500 : 0
  }
}

/** The places that are folders with results of benchmarks. */
export async function resultsIn(places: readonly string[]): Promise<readonly string[]> {
  const paths = places.filter((place) => !isUrl(place) && !place.includes('='))
  if (paths.length === 0) return []
  const { holdsResults } = await import('./reports.ts')
  for (const path of paths)
    if (!(await holdsResults(path)))
      throw new StoreError(
        'INVALID_ARGUMENT',
        `'${path}' is neither the URL of a store, such as lmdb:./data, nor a folder with results of unikv bench.`,
      )
  return paths
}

/** The stores of a page, opened for a look. */
interface Opened {
  readonly manager: ShownManager
  readonly history: OpenedHistory | undefined
  close(): Promise<void>
}

/** The stores of a command line or a configuration, opened for a look. */
export async function openedStores(
  places: readonly string[],
  folders: readonly string[],
  options: Pick<DashboardCommandOptions, 'config' | 'as'>,
): Promise<Opened> {
  const named = places.filter((place) => !folders.includes(place))
  // Results alone need no configuration.
  if (folders.length > 0 && named.length === 0 && options.config === undefined)
    return {
      manager: { stores: {}, monitor: undefined, recorder: undefined },
      history: undefined,
      close: async () => {},
    }
  const config = await configurationOf(named, options)
  const manager = await openUnrecorded({ ...config, monitor: config.monitor ?? true })
  const history = hasPast(config) ? await openHistory(config) : undefined
  const close = async (): Promise<void> => {
    await history?.close()
    await manager.close()
  }
  return { manager, history, close }
}

/** The log of the tuners of programs, as `unikv tune` shows and answers it. */
async function loggedIn({ configuration, stores }: ShownManager): Promise<AnswerableTuner | undefined> {
  const keeper = (stores as Readonly<Record<string, KeyValue<string, Bytes>>>)[
    configuration?.monitor?.keepIn ?? ''
  ]
  if (keeper === undefined || !supports(keeper, 'conditionalWrite')) return undefined
  const { TunerLog } = await import('@unikv/tuner')
  const log = new TunerLog(keeper)
  return {
    actions: async () => (await log.actions(() => {})).map(({ action }) => action),
    approve: (id, by = 'the dashboard') => log.answer(id, 'approved', by),
    reject: (id, by = 'the dashboard') => log.answer(id, 'rejected', by),
  }
}

function hasPast({ monitor }: Configuration): boolean {
  return typeof monitor === 'object' && monitor.keepIn !== undefined
}

/** The stores that are named as a configuration of their own, or that of the file. */
async function configurationOf(
  places: readonly string[],
  { config, as = 'bytes' }: Pick<DashboardCommandOptions, 'config' | 'as'>,
): Promise<Configuration> {
  if (places.length === 0) return loadConfig(config)
  if (config !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Choose URLs of stores or --config, not both.')
  const layers = as === 'bytes' ? [] : [as]
  const stores: Record<string, { readonly url: string; readonly layers: readonly ('text' | 'json')[] }> = {}
  for (const place of places) {
    const [name, url] = namedPlace(place)
    if (!isUrl(url))
      throw new StoreError('INVALID_ARGUMENT', `'${url}' is not the URL of a store, such as lmdb:./data.`)
    if (Object.hasOwn(stores, name))
      throw new StoreError('INVALID_ARGUMENT', `Two stores are named '${name}'. Write NAME=URL.`)
    await checkThere(url)
    stores[name] = { url, layers }
  }
  return { stores }
}
