import { StoreError } from '@unikv/core'
import { dashboard } from '@unikv/dashboard'
import { type AnyManager, type Configuration, loadConfig, openHistory, openUnrecorded } from '@unikv/manager'
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
}

/** Show the page until Ctrl-C. */
export async function showDashboard(
  places: readonly string[],
  options: DashboardCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { token } = tokenOf(options) as { readonly token: string } // never without one
  const config = await configurationOf(places, options)
  const manager: AnyManager = await openUnrecorded({ ...config, monitor: config.monitor ?? true })
  const history = hasPast(config) ? await openHistory(config) : undefined
  try {
    const access = { name: 'the owner', token, may: 'admin' } as const
    const page = dashboard(manager, {
      tokens: [access],
      writable: options.writable,
      history,
      hosts: hostsOf(options),
    })
    const server = await listening(page, { port: options.port, host: options.host, replaceGlobals: true })
    const interrupted = new Promise<void>((end) => terminal.onInterrupt(end))
    const names = Object.keys(config.stores).join(', ')
    const how = options.writable === true ? '' : ', read-only'
    terminal.error(`Showing ${names}${how}, until Ctrl-C:\n  ${server.url}/#token=${token}\n`)
    await interrupted
    page.close()
    await server.close()
  } finally {
    await history?.close()
    await manager.close()
  }
}

function hasPast({ monitor }: Configuration): boolean {
  return typeof monitor === 'object' && monitor.keepIn !== undefined
}

/** The stores that are named as a configuration of their own, or that of the file. */
async function configurationOf(
  places: readonly string[],
  { config, as = 'bytes' }: DashboardCommandOptions,
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
