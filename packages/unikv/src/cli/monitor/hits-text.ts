import type { Summarised } from '@unikv/monitor'

/** The share of reads that caches answered, for a table; a dash where no cache stands. */
export function hitsText({ hits, hitRate }: Pick<Summarised, 'hits' | 'hitRate'>): string {
  return Object.keys(hits).length === 0 ? '–' : `${(100 * hitRate).toFixed(1)} %`
}
