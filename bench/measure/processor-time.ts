import { type Awaitable, isPromise } from '@unikv/core'

/** Microseconds of the processor that one call takes, of the process with all its threads. */
export async function processorUs(work: () => Awaitable<unknown>, durationMs: number): Promise<number> {
  const before = process.cpuUsage()
  const endAt = performance.now() + durationMs
  let calls = 0
  for (; performance.now() < endAt; calls++) {
    const answer = work()
    if (isPromise(answer)) await answer
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}
