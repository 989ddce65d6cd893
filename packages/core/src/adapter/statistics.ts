import { stat, statfs } from 'node:fs/promises'
import type { ServerStatistics } from '../contract/statistics.ts'
import { closed } from './adapter-errors.ts'

/** Figures that are not added up. */
const others = ['version', 'scope', 'uptimeMs'] as const

/** The statistics of several servers that hold a store together. A figure that one of them does not tell is left out. */
export function addedStatistics(servers: readonly ServerStatistics[]): ServerStatistics {
  const [first = {}] = servers
  const sums = Object.keys(first).flatMap((name) => {
    const values = servers.map((server) => (server as Readonly<Record<string, unknown>>)[name])
    if ((others as readonly string[]).includes(name) || !values.every((value) => typeof value === 'number'))
      return []
    return [[name, values.reduce((sum, value) => sum + value, 0)]]
  })
  const uptimes = servers.flatMap(({ uptimeMs }) => (uptimeMs === undefined ? [] : [uptimeMs]))
  return {
    ...(Object.fromEntries(sums) as ServerStatistics),
    version: first.version,
    scope: first.scope,
    uptimeMs: uptimes.length === 0 ? undefined : Math.min(...uptimes),
  }
}

/** A figure as servers write them; `undefined` for anything but a number that is not negative. */
export function figureOf(value: unknown): number | undefined {
  const figure = Number(value ?? Number.NaN)
  return Number.isFinite(figure) && figure >= 0 ? figure : undefined
}

/** The same where 0 stands for *no limit*. */
export function limitOf(value: unknown): number | undefined {
  const limit = figureOf(value)
  return limit === 0 ? undefined : limit
}

/** Where an embedded store keeps its records. */
export interface OnDisk {
  readonly folder: string
  /** Those whose sizes are told, as far as they are there. */
  readonly files: readonly string[]
  readonly isClosed: boolean
}

/**
 * Statistics of an embedded store: the size of its files together, and how full the disk below their folder is.
 *
 * @throws {StoreError} `CLOSED`
 */
export async function diskStatistics({ folder, files, isClosed }: OnDisk): Promise<ServerStatistics> {
  if (isClosed) throw closed()
  const [disk, ...sizes] = await Promise.all([
    statfs(folder).catch(() => undefined),
    ...files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  ])
  // Some file systems do not tell.
  const isTold = disk !== undefined && disk.blocks > 0
  return {
    ...(files.length === 0
      ? {}
      : { storedBytes: sizes.reduce((sum, size) => sum + size, 0), scope: 'database' }),
    // As `df` counts: reserved blocks are neither used nor free.
    ...(isTold
      ? {
          diskUsedBytes: (disk.blocks - disk.bfree) * disk.bsize,
          diskBytes: (disk.blocks - disk.bfree + disk.bavail) * disk.bsize,
        }
      : {}),
  }
}
