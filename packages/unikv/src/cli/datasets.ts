/** Datasets of the generator, apart from those of applications: stores and caches never share one. */
export const datasets = {
  store: 'unikv_bench',
  cache: 'unikv_bench_cache',
  results: 'unikv_results',
} as const
