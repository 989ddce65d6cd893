import type { CallOptions, ServerStatistics } from '@unikv/core'
import { figureOf, limitOf } from '@unikv/core/adapter'
import { statusError } from './errors.ts'
import type { SwiftObjects } from './objects.ts'

/** Figures of the container, which may have other prefixes. Swift adds them up some seconds late. */
export async function statistics(objects: SwiftObjects, call: CallOptions): Promise<ServerStatistics> {
  const headers = await objects.container(call)
  if (headers === undefined) throw statusError(404, Buffer.alloc(0), false)
  return {
    storedBytes: figureOf(headers['x-container-bytes-used']),
    maxStoredBytes: limitOf(headers['x-container-meta-quota-bytes']),
    records: figureOf(headers['x-container-object-count']),
    scope: 'database',
  }
}
