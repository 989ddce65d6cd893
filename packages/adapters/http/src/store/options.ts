import type { Awaitable, Capabilities } from '@unikv/core'
import {
  checkFactoryOptions,
  checkName,
  checkPositive,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import { type BearerToken, bearerOf, serverUrl } from '@unikv/core/http-client'
import { base } from '../protocol/headers.ts'
import { type HttpOffer, portable } from './capabilities.ts'

/** Settings of a store behind HTTP. */
export interface HttpStoreOptions<C extends HttpOffer = HttpOffer> {
  /** The server, and the name of the store as the last part of the path: `https://host/users`. A path before it is where the server is mounted. */
  readonly url: string | URL
  /** The secret that opens it, or what finds it before each request. @default the password of the URL */
  readonly token?: BearerToken
  /** The abilities of the store behind the server: as `capabilitiesOf` finds it, or as far as you know. Checked with the first call. @default `portable` */
  readonly capabilities?: C | undefined
  /** Most requests at the same time; further ones wait. @default 64 */
  readonly maxConcurrent?: number | undefined
  /** Sends the requests. @default `fetch` of the platform */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** For errors and reports. @default 'http' */
  readonly name?: string | undefined
}

const optionNames: OptionNames<HttpStoreOptions> = {
  url: true,
  token: true,
  capabilities: true,
  maxConcurrent: true,
  fetch: true,
  name: true,
}

/** Options with their defaults, checked. */
export interface HttpStoreSettings {
  /** `https://host/v1/stores/users`. */
  readonly address: string
  /** The server without user info, for messages. */
  readonly where: string
  readonly authorization: () => Awaitable<string | undefined>
  readonly capabilities: Capabilities
  readonly maxConcurrent: number
  readonly send: (url: string, init: RequestInit) => Promise<Response>
  readonly name: string
}

/** @throws {StoreError} `INVALID_CONFIG`, without what the URL holds */
export function settingsOf(options: HttpStoreOptions): HttpStoreSettings {
  checkFactoryOptions('httpStore', options, optionNames)
  const { capabilities = {}, maxConcurrent = 64, name = 'http' } = options
  checkPositive({ maxConcurrent })
  checkName('httpStore', name)
  const url = serverUrl(options.url, 'https://host/users')
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const store = parts.pop()
  if (store === undefined) throw invalidConfig('url must end with the name of the store: https://host/users.')
  const mounted = parts.map((part) => `/${part}`).join('')
  return {
    address: `${url.origin}${mounted}${base}/stores/${store}`,
    where: `unikv at ${url.host}`,
    authorization: bearerOf(options.token, url),
    capabilities: Object.freeze({ ...portable, ...capabilities }),
    maxConcurrent,
    // As it is at the time of the call: tests and platforms replace it.
    send: options.fetch ?? ((address, init) => fetch(address, init)),
    name,
  }
}
