import { any, flag, label, needed, type OptionsOf, plainName, readOptions, whole } from '@unikv/core/adapter'
import { type BearerToken, bearerOf, serverUrl } from '@unikv/core/http-client'

const table = {
  /** The REST URL of the database, or of a server that speaks as it does. The password of the URL is the token. */
  url: needed<string | URL>(),
  /** The secret that opens it, or a function that finds it before each request. @default the password of the URL */
  token: any<BearerToken>(),
  /** Start of the keys, which a colon follows: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /** The database drops live records when it is full (its setting *Eviction*). @default false */
  evicts: flag(false),
  /** Most requests at the same time; further ones wait. @default 64 */
  maxConcurrent: whole(64),
  /** Sends the requests. @default `fetch` of the platform */
  fetch: any<(url: string, init: RequestInit) => Promise<Response>>(),
  /** For errors and reports. @default 'upstash' */
  name: label('upstash'),
}

/** Settings of a store in an Upstash database. */
export interface UpstashOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type UpstashSettings = ReturnType<typeof settingsOf>

/** @throws {StoreError} `INVALID_CONFIG`, without what the URL holds */
export function settingsOf(options: UpstashOptions) {
  const { url: given, token, fetch: own, ...settings } = readOptions('upstash', table, options)
  const url = serverUrl(given, 'https://host')
  return {
    ...settings,
    address: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    /** The server without user info, for messages. */
    where: `Upstash at ${url.host}`,
    authorization: bearerOf(token, url),
    // As it is at the time of the call: tests and platforms replace it.
    send: own ?? ((address: string, init: RequestInit) => fetch(address, init)),
  }
}
