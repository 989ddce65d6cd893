import { createRequire } from 'node:module'
import { splitUrl } from '../store-url.ts'
import type { NamedUrl } from './bench-sizes-request.ts'

const require = createRequire(import.meta.url)

/** Which driver package stands behind a scheme. */
const drivers: Readonly<Record<string, string>> = {
  lmdb: 'lmdb',
  redis: 'ioredis',
  rediss: 'ioredis',
  'redis+cluster': 'ioredis',
  'rediss+cluster': 'ioredis',
  mysql: 'mysql2',
  mariadb: 'mysql2',
  postgres: 'pg',
  postgresql: 'pg',
}

/** Version of unikv. All its packages have the same. */
export function ownVersion(): string {
  return versionIn('../../package.json') ?? 'unknown'
}

/** Versions of unikv and of the drivers of these stores, as far as they can be found. */
export function driverVersions(stores: readonly NamedUrl[]): Record<string, string> {
  const names = stores.map(({ url }) => drivers[splitUrl(url).scheme]).filter((name) => name !== undefined)
  const versions: Record<string, string> = { unikv: ownVersion() }
  for (const name of new Set(names)) {
    const version = versionIn(`${name}/package.json`)
    if (version !== undefined) versions[name] = version
  }
  return versions
}

function versionIn(path: string): string | undefined {
  try {
    return (require(path) as { readonly version?: string }).version
  } catch {
    return undefined // a driver may not show its package.json
  }
}
