import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../faults/fault.ts'
import type { FaultProxy } from '../faults/fault-proxy.ts'
import { mulberry32 } from '../schedules/random.ts'

/** Harm that goes on until it is stopped. */
export interface Sabotage {
  /** Lifts the fault in force and ends; resolves to how often each fault was injected. */
  stop(): Promise<Readonly<Record<string, number>>>
}

/** How often, and what else. */
export interface SabotageOptions {
  readonly seed: number
  /** Mean time between two faults in milliseconds. @default 40 */
  readonly everyMs?: number
  /** Longest time that a lasting fault stays, in milliseconds. @default 60 */
  readonly lastingMs?: number
  /** Further harm, by name, such as a pause or a kill and restart of the server. */
  readonly others?: Readonly<Record<string, () => Promise<unknown>>>
}

const faults: Readonly<Record<string, (random: () => number) => Fault>> = {
  reset: () => ({ kind: 'reset' }),
  'reply lost': () => ({ kind: 'cut', side: 'response', afterBytes: 0 }),
  'reply cut': (random) => ({ kind: 'cut', side: 'response', afterBytes: Math.ceil(random() * 40) }),
  'request cut': (random) => ({ kind: 'cut', side: 'request', afterBytes: Math.ceil(random() * 60) }),
  'replies held': () => ({ kind: 'hold', side: 'response' }),
  'requests held': () => ({ kind: 'hold', side: 'request' }),
  'black hole': () => ({ kind: 'blackHole' }),
}

/** Do harm between a client and its server, at random by the seed, with pauses in which all is well. */
export function sabotage(proxy: FaultProxy, options: SabotageOptions): Sabotage {
  const { seed, everyMs = 40, lastingMs = 60, others = {} } = options
  const random = mulberry32(seed)
  const counts: Record<string, number> = {}
  const names = [...Object.keys(faults), ...Object.keys(others)]
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      await sleep(random() * 2 * everyMs)
      if (isOver) break
      const name = names[Math.floor(random() * names.length)] as string
      counts[name] = (counts[name] ?? 0) + 1
      const other = others[name]
      if (other !== undefined) await other()
      else proxy.inject((faults[name] as (random: () => number) => Fault)(random))
      await sleep(random() * lastingMs)
      proxy.pass()
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      await running
      proxy.pass()
      return counts
    },
  }
}
