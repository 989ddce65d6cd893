import { compression } from '@unikv/compression'
import { StoreError } from '@unikv/core'
import type { SizePoint } from '../../data/data-source.ts'
import { formatSize, maxObjectBytes } from '../../data/size-list.ts'
import type { StoreTarget } from '../../run/target.ts'
import type { StudySubject } from '../../study/study.ts'
import type { SizesConfig } from './config.ts'

/**
 * Refuse, before anything is sent, what could only fail later.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED`, with one sentence that names the culprit
 */
export function check({ config, stores, caches, points }: StudySubject<SizesConfig>): void {
  const remote = caches.filter((cache) => cache.kind === 'remote')
  for (const target of [...stores, ...remote]) checkSizes(target, points)
  // refuses an algorithm whose package is missing, and says how to install it
  for (const algorithm of config.compression) compression({ algorithm })
}

function checkSizes({ name, store }: StoreTarget, points: readonly SizePoint[]): void {
  const limit = Math.min(store.capabilities.maxValueBytes, maxObjectBytes)
  const largest = Math.max(...points.map(({ range }) => range[1]))
  if (largest <= limit) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `Objects of ${formatSize(largest)} are too large for ${name}, which allows ${formatSize(limit)}.`,
  )
}
