import type { CacheInfo } from '../result.ts'

const modes = {
  reference: 'in process, by reference: as the default mode hands out objects of json()',
  freeze: 'in process, default mode over raw bytes: bytes are copied on a hit',
  copy: 'in process, copied on a hit',
} as const

/** A cache in words. */
export function describeCache({ kind, share }: Pick<CacheInfo, 'kind' | 'share'>): string {
  return kind === 'remote' ? 'remote' : modes[share ?? 'freeze']
}
