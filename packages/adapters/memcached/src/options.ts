import {
  decoded,
  invalidConfig,
  label,
  ms,
  needed,
  type OptionsOf,
  ownClock,
  part,
  plainName,
  readOptions,
  text,
  texts,
  whole,
} from '@unikv/core/adapter'

/** Bytes that the server adds to a value: item header, key, record header, flags. */
export const itemOverheadBytes = 1_024

const authTable = { username: needed<string>(), password: needed<string>() }

const table = {
  /**
   * `memcached://[user:password@]host[:port]`, or several hosts separated by commas.
   *
   * @default 'memcached://127.0.0.1:11211', if there are no `servers`
   */
  url: text(),
  /** The servers, as `host:port`, instead of `url`. Every client must have the same ones, in any order. */
  servers: texts(),
  /**
   * `{ username, password }`, for servers with an authentication file (`-Y`). Sent only to a server that asks for it.
   * @default those of the `url`, or none
   */
  auth: part(authTable),
  /** Which records are ours. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /** Most connections to each server. Commands are pipelined, so one is enough unless values are large. @default 1 */
  maxConnections: whole(1),
  /**
   * Longest value in bytes. The item size limit of the servers (`-I`, 1 MiB by default) must be 1,024 bytes larger: each is
   * asked for it when it is connected to. @default 1,047,552
   */
  maxValueBytes: whole(1024 * 1024 - itemOverheadBytes),
  /** How long a connection may take to open. @default 5,000 */
  connectTimeoutMs: ms(5_000),
  /**
   * How long a server may stay silent while answers are due before its connection is given up: with a dead one later
   * calls would wait in vain too. @default 3,000
   */
  socketTimeoutMs: ms(3_000),
  /** Wall clock in milliseconds, which says what has expired. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'memcached' */
  name: label('memcached'),
}

/** Settings of the memcached store. */
export interface MemcachedOptions extends OptionsOf<typeof table> {}

/** User and password, as in a line of the server's authentication file. */
export interface MemcachedAuth extends OptionsOf<typeof authTable> {}

/** Where a server is. */
export interface Address {
  readonly host: string
  readonly port: number
  /** `host:port`, for hashing and for errors. */
  readonly name: string
}

/** The options with their defaults, checked. */
export type MemcachedSettings = ReturnType<typeof settingsOf>

/** Settings of a connection. */
export type ConnectionSettings = Pick<
  MemcachedSettings,
  'auth' | 'maxValueBytes' | 'connectTimeoutMs' | 'socketTimeoutMs'
>

const defaultPort = 11_211

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: MemcachedOptions) {
  const { url, servers, ...settings } = readOptions('memcached', table, options)
  if (url !== undefined && servers !== undefined) throw invalidConfig('Give exactly one of url and servers.')
  const target = servers === undefined ? parseUrl(url ?? 'memcached://127.0.0.1') : { hosts: servers }
  const addresses = target.hosts.map(addressOf)
  if (addresses.length === 0 || new Set(addresses.map((one) => one.name)).size < addresses.length)
    throw invalidConfig('servers must name at least one server, and each only once.')
  const auth = settings.auth ?? ('auth' in target ? target.auth : undefined)
  if (auth !== undefined) checkAuth(auth)
  return { ...settings, auth, addresses }
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

/** They travel as `user password` on a line. */
function checkAuth({ username, password }: MemcachedAuth): void {
  const isText = (text: unknown): text is string => typeof text === 'string' && !/[\r\n\0]/.test(text)
  if (isText(username) && isText(password) && username !== '' && !/[ :]/.test(username)) return
  throw invalidConfig(
    'auth needs username and password without line breaks; the username must not contain spaces or colons.',
  )
}
