import { StoreError } from '@unikv/core'
import type { Address } from './relay.ts'

/** The address of a server in the URL of a store, and the URL by way of a port of this machine. */
export interface Route {
  readonly address: Address
  readonly through: (port: number) => string
}

/** Ports of servers whose URL names none. */
const ports: Readonly<Record<string, number>> = {
  redis: 6379,
  valkey: 6379,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
  mongodb: 27017,
  memcached: 11211,
  couchdb: 5984,
  hbase: 8080,
  http: 80,
  'upstash+http': 80,
}
/** Schemes whose URL names the server in a parameter. */
const byEndpoint = new Set(['s3', 'dynamodb'])
const embedded = new Set(['memory', 'file', 'lmdb', 'sqlite', 'module'])

/**
 * The way to the server of a store.
 *
 * @param name of the store, for messages
 * @throws {StoreError} `UNSUPPORTED` where a part of the connections would go past a proxy
 */
export function routeOf(name: string, url: string): Route {
  const scheme = url.slice(0, Math.max(0, url.indexOf(':'))).toLowerCase()
  if (embedded.has(scheme)) throw noWay(name, 'it is in this process and has no address')
  if (/[?&](?:tls=true|sslmode=verify)/.test(url)) throw noWay(name, byTls)
  if (byEndpoint.has(scheme)) return endpointRoute(name, url)
  const port = ports[scheme]
  if (scheme.endsWith('+unix')) throw noWay(name, 'it is reached by a socket of this machine')
  if (port === undefined) throw noWay(name, /s$|^(?:redis|valkey)s\+|\+srv$/.test(scheme) ? byTls : byServer)
  if (url.includes(',')) throw noWay(name, 'it has several servers')
  const found = parsed(name, url)
  if (found.hostname === '') throw noWay(name, 'its URL names no host')
  return {
    address: { host: hostOf(found), port: found.port === '' ? port : Number(found.port) },
    through: (own) => {
      const other = at(found, own)
      // Without it the driver would ask the server for the addresses of its replica set.
      if (scheme === 'mongodb') other.searchParams.set('directConnection', 'true')
      return other.href
    },
  }
}

const byTls = 'its connections are by TLS, which a proxy would break'
const byServer = 'its driver connects to addresses that the servers tell, past a proxy'

function endpointRoute(name: string, url: string): Route {
  const given = parsed(name, url)
  const endpoint = given.searchParams.get('endpoint') ?? ''
  if (!endpoint.startsWith('http://')) throw noWay(name, byTls)
  const found = parsed(name, endpoint)
  return {
    address: { host: hostOf(found), port: found.port === '' ? 80 : Number(found.port) },
    through: (own) => {
      const other = new URL(given)
      other.searchParams.set('endpoint', at(found, own).href.replace(/\/$/, ''))
      return other.href
    },
  }
}

function parsed(name: string, url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw noWay(name, 'its URL names no single host')
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function at(url: URL, port: number): URL {
  const other = new URL(url)
  other.hostname = '127.0.0.1'
  other.port = String(port)
  return other
}

function noWay(name: string, why: string): StoreError {
  return new StoreError(
    'UNSUPPORTED',
    `--delay and --bandwidth put a proxy before one server without TLS, and ${name} cannot have one: ${why}. Name the others, such as --delay redis=5ms.`,
  )
}
