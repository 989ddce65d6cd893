import type { Capabilities } from '@unikv/core'
import { any, invalidConfig, label, needed, type OptionsOf, readOptions, whole } from '@unikv/core/adapter'
import { type BearerToken, bearerOf, serverUrl } from '@unikv/core/http-client'
import { base } from '../protocol/headers.ts'
import { type HttpOffer, portable } from './capabilities.ts'

const table = {
  /**
   * The server, and the name of the store as the last part of the path: `https://host/users`. A path before it is where the server
   * is mounted. The password of the URL is the token.
   */
  url: needed<string | URL>(),
  /** The secret that opens it, or a function that finds it before each request. @default the password of the URL */
  token: any<BearerToken>(),
  /** The abilities of the store behind the server: as `await capabilitiesOf({ url, token })` finds it, or as far as you know. Checked with the first call. @default `portable` */
  capabilities: any<HttpOffer>(),
  /** Most requests at the same time; further ones wait. @default 64 */
  maxConcurrent: whole(64),
  /** Sends the requests. @default `fetch` of the platform */
  fetch: any<(url: string, init: RequestInit) => Promise<Response>>(),
  /** For errors and reports. @default 'http' */
  name: label('http'),
}

/** Settings of a store behind HTTP. */
export interface HttpStoreOptions<C extends HttpOffer = HttpOffer>
  extends OptionsOf<typeof table, { capabilities: C }> {}

/** Options with their defaults, checked. */
export type HttpStoreSettings = ReturnType<typeof settingsOf>

/** @throws {StoreError} `INVALID_CONFIG`, without what the URL holds */
export function settingsOf(options: HttpStoreOptions) {
  const { url: given, token, fetch: own, ...settings } = readOptions('httpStore', table, options)
  const url = serverUrl(given, 'https://host/users')
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const store = parts.pop()
  if (store === undefined) throw invalidConfig('url must end with the name of the store: https://host/users.')
  const mounted = parts.map((part) => `/${part}`).join('')
  return {
    ...settings,
    /** `https://host/v1/stores/users`. */
    address: `${url.origin}${mounted}${base}/stores/${store}`,
    /** The server without user info, for messages. */
    where: `unikv at ${url.host}`,
    authorization: bearerOf(token, url),
    capabilities: Object.freeze({ ...portable, ...settings.capabilities }) as Capabilities,
    // As it is at the time of the call: tests and platforms replace it.
    send: own ?? ((address: string, init: RequestInit) => fetch(address, init)),
  }
}
