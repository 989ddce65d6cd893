import { formatExact } from '@unikv/bench/words'
import type { ServerStatistics } from '@unikv/core'

/** The figures of a server that fit into a few words, those that it tells: `3 of 100 connections, 1.07 GB of data`. */
export function serverWords(server: ServerStatistics): string {
  const { connections, maxConnections, memoryBytes, maxMemoryBytes, storedBytes, records } = server
  const { diskUsedBytes, diskBytes } = server
  return [
    words(connections, maxConnections, formatExact, 'connections'),
    words(memoryBytes, maxMemoryBytes, formatSize, 'memory'),
    words(storedBytes, undefined, formatSize, 'of data'),
    words(records, undefined, formatExact, records === 1 ? 'record' : 'records'),
    words(diskUsedBytes, diskBytes, formatSize, 'of the disk in use'),
  ]
    .filter((one) => one !== '')
    .join(', ')
}

/** A number of bytes with a unit of 1,000: `412 B`, `1.35 MB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, Math.abs(bytes))) / 3))
  const unit = ['B', 'kB', 'MB', 'GB', 'TB'][power] as string
  return power === 0 ? `${bytes} B` : `${Number((bytes / 1000 ** power).toPrecision(3))} ${unit}`
}

function words(
  used: number | undefined,
  most: number | undefined,
  format: (value: number) => string,
  what: string,
): string {
  if (used === undefined) return ''
  return `${format(used)}${most === undefined ? '' : ` of ${format(most)}`} ${what}`
}
