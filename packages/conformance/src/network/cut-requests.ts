import { setTimeout as pause } from 'node:timers/promises'
import { afterMs } from './lost-replies.ts'
import type { NetworkFixture } from './network-fixture.ts'
import type { Operations } from './under-faults.ts'
import { checkTruth, prepared, start } from './work.ts'

/** Places of a cut: in the first frame of most requests, and in the middle of a value. */
const early = 150
const late = 60_000

/** Cut requests anywhere: no effect, or all of it, and the truth about which. */
export async function cutRequests(t: NetworkFixture, { deeds }: Operations): Promise<void> {
  const large = { ...t, value: (n: number) => largeOf(t.value(n)) }
  for (let round = 0; round < 2 * t.rounds; round++) {
    for (const deed of deeds) {
      const work = await prepared(large, deed)
      await t.recovered()
      const afterBytes = 1 + t.random.below(round % 2 === 0 ? early : late)
      t.proxy.inject({ kind: 'cut', side: 'request', afterBytes })
      const outcomes = await start(large, work)
      t.proxy.pass()
      await checkTruth(large, work, outcomes)
      await pause(afterMs / 10)
      await checkTruth(large, work, outcomes)
    }
  }
}

function largeOf(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.concat([value, Buffer.alloc(late, value.at(-1))]) : value
}
