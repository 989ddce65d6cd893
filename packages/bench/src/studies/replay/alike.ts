import type { ReplayConfig } from './config.ts'

/** The facts of a configuration in which results must agree to be compared, by words for them. */
export function alike(config: ReplayConfig): Readonly<Record<string, unknown>> {
  const { trace, speed, concurrency, start, onMiss, seed } = config
  return {
    requests: trace.sha256,
    speed,
    concurrency: speed === 'max' ? concurrency : null,
    start,
    misses: onMiss,
    seed,
  }
}
