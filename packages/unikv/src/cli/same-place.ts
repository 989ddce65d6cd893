import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { decodedPath } from '@unikv/core/url'
import { isPathUrl, splitUrl } from '@unikv/stores/lazy'
import { kindOf } from './versions.ts'

/** Ports that a URL may leave out. */
const ports: Readonly<Record<string, string>> = {
  redis: '6379',
  mysql: '3306',
  postgres: '5432',
  mongodb: '27017',
  cassandra: '9042',
  memcached: '11211',
  couchdb: '5984',
  hbase: '8080',
}
/** Parameters that say how a place is talked to, not which one it is. */
const manners = new Set(['driver', 'durability', 'threads', 'tls', 'sync', 'maxConnections', 'sslmode'])

/** Whether this is the URL of a store, and not a name: `memory:`, `redis://host`. */
export function isUrl(place: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(place)
}

/**
 * A name of the place that a URL means, in any spelling: the kind of store, where it is, and the dataset in it.
 *
 * @param dataset what holds if the URL names none
 */
export function placeOf(url: string, dataset: string): string {
  const { path, parameters } = splitUrl(url)
  const named = new Map([['dataset', dataset]])
  for (const [name, value] of parameters) if (!manners.has(name)) named.set(name, value)
  const kind = kindOf(url)
  const place = isPathUrl(url) ? behindLinks(resolve(decoded(kind, path))) : addressOf(kind, path, named)
  return JSON.stringify([kind, place, [...named].sort(([a], [b]) => (a < b ? -1 : 1))])
}

/** How a URL asks for its place to be talked to. */
export function mannerOf(url: string): string {
  const asked = [...splitUrl(url).parameters].filter(([name]) => manners.has(name))
  return JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The path to which links lead; a path where nothing is stays as it is. */
function behindLinks(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** A path that cannot be decoded is refused when it is opened. */
function decoded(kind: string, path: string): string {
  try {
    return decodedPath(kind, path)
  } catch {
    return path
  }
}

/** Hosts with their ports in a fixed order, and what follows. Users differ where the place may still be one. */
function addressOf(kind: string, path: string, parameters: Map<string, string>): string {
  const [, info = '', hosts = '', below = ''] = /^(?:\/\/)?(.*@)?([^/]*)(.*)$/s.exec(path) ?? []
  const all = hosts.split(',').map((host) => hostOf(host, ports[kind]))
  const database = databaseOf(kind, below.replace(/^\/+|\/+$/g, ''), parameters)
  // Without the name of a database, that of the user is one; accounts of Swift are users.
  const user = database === '' || kind === 'swift' ? info.replace(/:.*/s, '') : ''
  return `${user}@${all.sort().join()}/${database}`
}

function databaseOf(kind: string, path: string, parameters: Map<string, string>): string {
  if (kind !== 'redis') return path
  const found = path || (parameters.get('db') ?? parameters.get('database') ?? '0')
  parameters.delete('db')
  parameters.delete('database')
  return found
}

function hostOf(text: string, defaultPort = ''): string {
  const [, name = '', port = defaultPort] = /^(.*?)(?::(\d+))?$/s.exec(text) ?? []
  const host = name.toLowerCase().replace(/\.$/, '')
  const isOwn = ['', 'localhost', '127.0.0.1', '[::1]'].includes(host)
  return `${isOwn ? 'localhost' : host}:${Number(port)}`
}
