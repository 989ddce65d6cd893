import { decoded, StoreError } from '@unikv/core/adapter'

/** Where servers are, and how they are spoken to. */
export interface Target {
  readonly cluster: boolean
  readonly addresses: readonly Address[]
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly db: number
}

/** One server. */
export interface Address {
  /** A Unix socket: its path. */
  readonly host: string
  /** A Unix socket: 0. */
  readonly port: number
  /** The path of a Unix socket, if it is one. */
  readonly path?: string
}

const scheme = /^(redis|rediss)(\+cluster)?:\/\/(.*)$/s
const socket = /^redis\+unix:\/\/(?:(.*)@)?(\/[^@?#]+)(?:\?db=(\d+))?$/s
const afterScheme = /^(?:(.*)@)?([^@/?#]+)(?:\/(\d*))?$/s
const address = /^(\[[\da-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i
const defaultPort = 6379

/**
 * The target of `redis[s]://[user:password@]host[:port][/db]`, `redis+unix://[user:password@]/path[?db=2]` or
 * `redis[s]+cluster://[user:password@]host[:port],host[:port]…`.
 *
 * @throws {StoreError} `INVALID_CONFIG`; the message never shows the URL, which may hold a password
 */
export function parseUrl(url: string): Target {
  if (url.startsWith('redis+unix:')) return parseSocket(url)
  const [, name, plusCluster, rest = ''] = scheme.exec(url) ?? []
  if (name === undefined)
    throw invalid('the scheme must be redis, rediss, redis+cluster, rediss+cluster or redis+unix')
  const [, credentials, hosts = '', db] = afterScheme.exec(rest) ?? []
  if (hosts === '')
    throw invalid('write [user:password@]host[:port] after the scheme, and at most /db behind it')
  const cluster = plusCluster !== undefined
  const addresses = hosts.split(',').map(parseAddress)
  if (!cluster && addresses.length > 1) throw invalid('several hosts need the scheme redis+cluster')
  if (cluster && Number(db ?? 0) !== 0) throw invalid('a cluster has only database 0')
  return { cluster, addresses, tls: name === 'rediss', ...parseCredentials(credentials), db: Number(db ?? 0) }
}

function parseSocket(url: string): Target {
  const [, credentials, text, db = '0'] = socket.exec(url) ?? []
  if (text === undefined) throw invalid('write a Unix socket as redis+unix:///run/redis.sock?db=2')
  const path = decoded(text)
  const addresses = [{ host: path, port: 0, path }]
  return { cluster: false, addresses, tls: false, ...parseCredentials(credentials), db: Number(db) }
}

/** The target of a cluster given as one URL a node. */
export function parseNodes(urls: readonly string[]): Target {
  const [first, ...others] = urls.map(parseUrl)
  if (first === undefined) throw invalid('a cluster needs at least one node')
  const shared = ({ tls, username, password, db }: Target) => JSON.stringify([tls, username, password, db])
  if (first.db !== 0 || others.some((other) => shared(other) !== shared(first))) {
    throw invalid(
      'the nodes of a cluster must have the same scheme, user and password, and no database number',
    )
  }
  return { ...first, cluster: true, addresses: [first, ...others].flatMap(({ addresses }) => addresses) }
}

function parseAddress(text: string): Address {
  const [, host, digits] = address.exec(text) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === undefined || port < 1 || port > 65_535)
    throw invalid('a host must be a name or an address, with a port up to 65535')
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port }
}

function parseCredentials(text: string | undefined): Pick<Target, 'username' | 'password'> {
  if (text === undefined) return { username: undefined, password: undefined }
  const colon = text.indexOf(':')
  if (colon === -1) throw invalid('write user:password or :password before the @')
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)].map((part) => decoded(part))
  return {
    username: username === '' ? undefined : username,
    password: password === '' ? undefined : password,
  }
}

function invalid(reason: string): StoreError {
  return new StoreError('INVALID_CONFIG', `The URL is not a Redis URL: ${reason}.`)
}
