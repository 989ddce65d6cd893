import { readFile } from 'node:fs/promises'
import { StoreError } from '@unikv/core'
import type { AnyKeyValue } from '@unikv/http'
import type { ListenOptions } from '@unikv/http/node'
import { loadConfig, openStores } from '@unikv/manager'
import { maskUrl } from '@unikv/stores/lazy'
import { type Form, openedPlace } from '../data/place.ts'
import { isUrl } from '../same-place.ts'
import type { Terminal } from '../terminal.ts'
import { type Dialect, placeOf, serverOf } from './dialects.ts'
import { hostsOf, listening, namedPlace, tokenOf } from './listening.ts'

/** Options of `unikv serve`. */
export interface ServeOptions {
  readonly config?: string
  readonly as?: Form
  readonly dialect: Dialect
  readonly port: number
  readonly host: string
  readonly hostname?: readonly string[]
  readonly token?: string
  readonly readOnly?: true
  readonly unprotected?: true
  readonly origin?: readonly string[]
  readonly rate?: number
  readonly maxBody: number
  readonly maxStream?: number
  readonly tlsCert?: string
  readonly tlsKey?: string
}

/** The stores of a command, opened. */
interface OpenedStores {
  readonly stores: Readonly<Record<string, AnyKeyValue>>
  close(this: void): Promise<void>
}

/** Serve until Ctrl-C. */
export async function serve(
  places: readonly string[],
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  const { token, isNew } = tokenOf(options)
  const tls = await tlsOf(options)
  const opened = await openedStores(places, options)
  try {
    const { readOnly, rate, maxBody, maxStream, origin } = options
    const handler = await serverOf(options.dialect, opened.stores, {
      ...(token === undefined ? { unprotected: true } : { tokens: [{ name: 'token', token, may: 'write' }] }),
      readOnly,
      requestsPerSecond: rate,
      maxBodyBytes: maxBody,
      maxStreamBytes: maxStream,
      origins: origin,
      hosts: hostsOf(options),
    })
    const server = await listening(handler, {
      port: options.port,
      host: options.host,
      tls,
      replaceGlobals: true,
    })
    const interrupted = new Promise<void>((end) => terminal.onInterrupt(end))
    const newToken = isNew ? `Token of this run: ${token}\n` : ''
    terminal.error(told(server.url, Object.keys(opened.stores), options) + newToken)
    await interrupted
    await server.close()
  } finally {
    await opened.close()
  }
}

/** The stores that are named, or all of the configuration. */
async function openedStores(
  places: readonly string[],
  { config, as = 'bytes', readOnly }: Pick<ServeOptions, 'config' | 'as' | 'readOnly'>,
): Promise<OpenedStores> {
  if (places.length === 0) return openStores(await loadConfig(config)) as Promise<OpenedStores>
  const opened: OpenedStores[] = []
  const close = async (): Promise<void> => void (await Promise.allSettled(opened.map((one) => one.close())))
  try {
    for (const place of places) {
      const [name, url] = namedPlace(place)
      const form = isUrl(url) ? { as } : config === undefined ? {} : { config }
      const { kv, close: closeOne } = await openedPlace(url, { ...form, prepare: readOnly !== true })
      opened.push({ stores: { [name]: kv }, close: closeOne })
    }
  } catch (error) {
    await close()
    throw error
  }
  const names = opened.flatMap(({ stores }) => Object.keys(stores))
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `Two stores are named '${twice}'. Write NAME=URL.`)
  return { stores: Object.assign({}, ...opened.map(({ stores }) => stores)), close }
}

async function tlsOf({ tlsCert, tlsKey }: ServeOptions): Promise<ListenOptions['tls']> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined)
    throw new StoreError('INVALID_ARGUMENT', 'HTTPS needs both --tls-cert and --tls-key.')
  const [cert, key] = await Promise.all([readFile(tlsCert), readFile(tlsKey)])
  return { cert, key }
}

function told(
  url: string,
  names: readonly string[],
  { dialect, readOnly, unprotected }: ServeOptions,
): string {
  const how = [readOnly === true ? 'read-only' : '', unprotected === true ? 'without a token' : ''].filter(
    (one) => one !== '',
  )
  const lines = names.map((name) => `  ${placeOf(dialect, url, name)}`)
  return `Serving ${maskUrl(url)}${how.length === 0 ? '' : ` (${how.join(', ')})`}, until Ctrl-C:\n${lines.join('\n')}\n`
}
