import { median, type Round } from './rounds.ts'

/**
 * Run `operation` for about `durationMs`, and four times for each worker at least, by `workers` that each wait for their
 * answer before the next call: in shorter rounds the first calls, which all begin at once, and the last, which end one by
 * one, are most of it.
 */
export async function closedLoop(
  operation: (i: number) => Promise<unknown>,
  workers: number,
  durationMs: number,
): Promise<Round> {
  const samples: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  const leastOperations = 4 * workers
  let operations = 0
  let now = startedAt
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (now < endsAt || operations < leastOperations) {
        const i = operations++
        // A clock reading is dear at this speed: one call in 16 is timed when there are many.
        if (workers > 1 && i % 16 !== 0) await operation(i)
        else {
          const before = performance.now()
          await operation(i)
          now = performance.now()
          samples.push(now - before)
        }
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  return { opsPerSecond: operations / seconds, p50Us: median(samples) * 1000 }
}
