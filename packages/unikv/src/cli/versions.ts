import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { splitUrl } from '@unikv/stores/lazy'

/** A store and its name. */
export interface NamedUrl {
  readonly name: string
  readonly url: string
}

/** Which driver packages stand behind a scheme, the default one first; `?driver=` names another. */
const drivers: Readonly<Record<string, readonly string[]>> = {
  lmdb: ['lmdb'],
  sqlite: ['libsql'],
  redis: ['ioredis', 'redis'],
  mysql: ['mysql2', 'mariadb'],
  postgres: ['pg'],
  mongodb: ['mongodb'],
  cassandra: ['cassandra-driver'],
  dynamodb: ['@aws-sdk/client-dynamodb'],
  s3: ['@aws-sdk/client-s3'],
}

/** Other names of schemes. */
const aliases: Readonly<Record<string, string>> = {
  valkey: 'redis',
  mariadb: 'mysql',
  postgresql: 'postgres',
}
/** Names of drivers in URLs that are not those of their packages. */
const packages: Readonly<Record<string, string>> = { 'node-redis': 'redis' }

/** Version of unikv. All its packages have the same. */
export function ownVersion(): string {
  return versionIn('../../package.json') ?? 'unknown'
}

/** Versions of unikv and of the drivers of these stores, as far as they can be found. */
export function driverVersions(stores: readonly NamedUrl[]): Record<string, string> {
  const versions: Record<string, string> = { unikv: ownVersion() }
  for (const { url } of stores) {
    const name = driverOf(url)
    if (name === undefined || versions[name] !== undefined) continue
    const load = requireOf(kindOf(url))
    const version = versionIn(`${name}/package.json`, load) ?? versionOf(name, load)
    if (version !== undefined) versions[name] = version
  }
  return versions
}

/** Package of the driver that a URL asks for. */
export function driverOf(url: string): string | undefined {
  const { parameters } = splitUrl(url)
  const known = drivers[kindOf(url)]
  const asked = parameters.get('driver')
  const name = asked === null ? undefined : (packages[asked] ?? asked)
  return name !== undefined && known?.includes(name) ? name : known?.[0]
}

/** The store of a URL: its scheme without TLS, clusters and other names. */
export function kindOf(url: string): string {
  const { scheme } = splitUrl(url)
  const plain = scheme
    .replace(/\+.*$/, '')
    .replace(/^(rediss|valkeys|couchdbs|hbases)$/, (name) => name.slice(0, -1))
  return aliases[plain] ?? plain
}

/** Packages that do not export their package.json have it above their entry. */
function versionOf(name: string, load: NodeJS.Require): string | undefined {
  try {
    let folder = dirname(load.resolve(name))
    while (!folder.endsWith(join('node_modules', name))) {
      if (folder === dirname(folder)) return undefined
      folder = dirname(folder)
    }
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version?: string })
      .version
  } catch {
    return undefined // not installed
  }
}

function versionIn(path: string, load: NodeJS.Require = required()): string | undefined {
  try {
    return (load(path) as { readonly version?: string }).version
  } catch {
    return undefined // a driver may not show its package.json
  }
}

/** As seen from the adapter, which declares the driver: a strict package manager hides it from everybody else. */
function requireOf(kind: string): NodeJS.Require {
  try {
    const stores = createRequire(required().resolve('@unikv/stores/package.json'))
    return createRequire(stores.resolve(`@unikv/${kind}/package.json`))
  } catch {
    return required() // a bundle, or an adapter that is not there
  }
}

/** Made when a version is asked for: a bundle of CommonJS modules has no URL of its own. */
function required(): NodeJS.Require {
  return createRequire(import.meta.url)
}
