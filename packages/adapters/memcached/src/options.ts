import {
  checkDatasetName,
  checkFactoryOptions,
  checkMs,
  checkPositive,
  decoded,
  invalidConfig,
  type OptionNames,
  ownNumbers,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** Settings of the memcached store. */
export interface MemcachedOptions {
  /**
   * `memcached://[user:password@]host[:port]`, or several hosts separated by commas.
   *
   * @default 'memcached://127.0.0.1:11211', if there are no `servers`
   */
  readonly url?: string | undefined
  /** The servers, as `host:port`, instead of `url`. Every client must have the same ones, in any order. */
  readonly servers?: readonly string[] | undefined
  /** User and password of the server's authentication file (`-Y`). @default those of the `url`, or none */
  readonly auth?: MemcachedAuth | undefined
  /** Which records are ours. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** Most connections to each server. @default 1 */
  readonly maxConnections?: number | undefined
  /**
   * Longest value in bytes. The servers' item size limit (`-I`) must be 1,024 bytes larger; they are asked for it when
   * they are connected to. @default 1,047,552
   */
  readonly maxValueBytes?: number | undefined
  /** How long a connection may take to open. @default 5,000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * How long a server may stay silent while answers are due before its connection is given up: with a dead one later
   * calls would wait in vain too. @default 3,000
   */
  readonly socketTimeoutMs?: number | undefined
  /** Wall clock in milliseconds, which says what has expired. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'memcached' */
  readonly name?: string | undefined
}

/** User and password, as in a line of the server's authentication file. */
export interface MemcachedAuth {
  readonly username: string
  readonly password: string
}

/** Where a server is. */
export interface Address {
  readonly host: string
  readonly port: number
  /** `host:port`, for hashing and for errors. */
  readonly name: string
}

/** What connections need to know. */
export interface ConnectionSettings {
  readonly auth: MemcachedAuth | undefined
  readonly maxValueBytes: number
  readonly connectTimeoutMs: number
  readonly socketTimeoutMs: number
}

/** The options with their defaults, checked. */
export interface MemcachedSettings extends ConnectionSettings {
  readonly addresses: readonly Address[]
  readonly dataset: string
  readonly maxConnections: number
  readonly clock: () => number
  readonly name: string
}

/** What the server adds to a value: item header, key, record header, flags. */
export const itemOverheadBytes = 1_024

const defaultPort = 11_211

const optionNames: OptionNames<MemcachedOptions> = {
  url: true,
  servers: true,
  auth: true,
  dataset: true,
  maxConnections: true,
  maxValueBytes: true,
  connectTimeoutMs: true,
  socketTimeoutMs: true,
  clock: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MemcachedOptions): MemcachedSettings {
  checkFactoryOptions('memcached', options, optionNames)
  const { url, servers, dataset = 'unikv', name = 'memcached' } = options
  const { maxConnections = 1, connectTimeoutMs = 5_000, socketTimeoutMs = 3_000 } = options
  const { maxValueBytes = 1024 * 1024 - itemOverheadBytes } = options
  checkDatasetName('dataset', dataset)
  checkPositive({ maxConnections, maxValueBytes })
  checkMs({ connectTimeoutMs, socketTimeoutMs })
  if (url !== undefined && servers !== undefined) throw invalidConfig('Give exactly one of url and servers.')
  const target = servers === undefined ? parseUrl(url ?? 'memcached://127.0.0.1') : { hosts: servers }
  const addresses = target.hosts.map(addressOf)
  if (addresses.length === 0 || new Set(addresses.map((one) => one.name)).size < addresses.length)
    throw invalidConfig('servers must name at least one server, and each only once.')
  const auth = options.auth ?? ('auth' in target ? target.auth : undefined)
  if (auth !== undefined) checkAuth(auth)
  const limits = { maxValueBytes, connectTimeoutMs, socketTimeoutMs }
  const clock = ownNumbers('memcached', 'clock', options.clock, wallClock)
  return { addresses, auth, dataset, maxConnections, ...limits, clock, name }
}

interface Target {
  readonly hosts: readonly string[]
  readonly auth: MemcachedAuth | undefined
}

function parseUrl(url: string): Target {
  const [, info, hosts] = /^memcached:\/\/(?:(.*)@)?([^@/?#]+)\/?$/is.exec(url) ?? []
  if (hosts === undefined)
    throw invalidConfig('url must look like memcached://[user:password@]host[:port],host[:port].')
  return { hosts: hosts.split(','), auth: info === undefined ? undefined : parseAuth(info) }
}

function parseAuth(info: string): MemcachedAuth {
  const [username, password, ...rest] = info.split(':')
  if (username === undefined || password === undefined || rest.length > 0)
    throw invalidConfig('url must have user:password before the @, percent-encoded.')
  return { username: decoded(username), password: decoded(password) }
}

function addressOf(text: string): Address {
  const [, host, digits] = /^(\[[\da-f:.]+\]|[^:[\]\s/@]+)(?::(\d{1,5}))?$/i.exec(String(text)) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === undefined || port < 1 || port > 65_535)
    throw invalidConfig('A memcached server must be host:port, with a port from 1 to 65535.')
  const name = `${host.toLowerCase()}:${port}`
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port, name }
}

const authNames: OptionNames<MemcachedAuth> = { username: true, password: true }

/** They travel as `user password` on a line. */
function checkAuth(auth: MemcachedAuth): void {
  checkFactoryOptions('memcached.auth', auth, authNames)
  const { username, password } = auth
  const isText = (text: unknown): text is string => typeof text === 'string' && !/[\r\n\0]/.test(text)
  if (isText(username) && isText(password) && username !== '' && !/[ :]/.test(username)) return
  throw invalidConfig(
    'auth needs username and password without line breaks; the username must not contain spaces or colons.',
  )
}
