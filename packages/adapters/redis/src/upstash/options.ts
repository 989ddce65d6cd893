import type { Awaitable } from '@unikv/core'
import {
  checkDatasetName,
  checkFactoryOptions,
  checkName,
  checkPositive,
  type OptionNames,
} from '@unikv/core/adapter'
import { type BearerToken, bearerOf, serverUrl } from '@unikv/core/http-client'

/** Settings of a store in an Upstash database. */
export interface UpstashOptions {
  /** The REST URL of the database. The password of the URL is the token. */
  readonly url: string | URL
  /** The secret that opens it, or what finds it before each request. @default the password of the URL */
  readonly token?: BearerToken
  /** Start of the keys, which a colon follows: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** The database drops live records when it is full (its setting *Eviction*). @default false */
  readonly evicts?: boolean | undefined
  /** Most requests at the same time; further ones wait. @default 64 */
  readonly maxConcurrent?: number | undefined
  /** Sends the requests. @default `fetch` of the platform */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** For errors and reports. @default 'upstash' */
  readonly name?: string | undefined
}

const optionNames: OptionNames<UpstashOptions> = {
  url: true,
  token: true,
  dataset: true,
  evicts: true,
  maxConcurrent: true,
  fetch: true,
  name: true,
}

/** Options with their defaults, checked. */
export interface UpstashSettings {
  readonly address: string
  /** The server without user info, for messages. */
  readonly where: string
  readonly authorization: () => Awaitable<string | undefined>
  readonly dataset: string
  readonly evicts: boolean
  readonly maxConcurrent: number
  readonly send: (url: string, init: RequestInit) => Promise<Response>
  readonly name: string
}

/** @throws {StoreError} `INVALID_CONFIG`, without what the URL holds */
export function settingsOf(options: UpstashOptions): UpstashSettings {
  checkFactoryOptions('upstash', options, optionNames)
  const { dataset = 'unikv', evicts = false, maxConcurrent = 64, name = 'upstash' } = options
  checkDatasetName('dataset', dataset)
  checkPositive({ maxConcurrent })
  checkName('upstash', name)
  const url = serverUrl(options.url, 'https://host')
  return {
    address: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    where: `Upstash at ${url.host}`,
    authorization: bearerOf(options.token, url),
    dataset,
    evicts,
    maxConcurrent,
    // As it is at the time of the call: tests and platforms replace it.
    send: options.fetch ?? ((address, init) => fetch(address, init)),
    name,
  }
}
