import { stores } from '../overhead/stores.ts'
import { closedLoop } from './closed-loop.ts'
import type { Client } from './entrants.ts'
import { fill, type Step, stepsOf } from './overhead-steps.ts'
import type { Round } from './rounds.ts'

// One client in a process of its own: `overhead-process.js redis unikv <url> <start>`. It says what it can do, then answers one
// message after the other.

/** What it is asked to do. */
export type Order =
  | { readonly round: number; readonly durationMs: number }
  | { readonly round: number; readonly warmUpMs: number }
  /**
   * Before each operation. Clients live long: what is young in one of them and old in the other (cassandra-driver's table of
   * requests, say) makes the collector's work differ by more than what is measured here. The operation runs for a while then:
   * for a second or two after it, all collections take longer.
   */
  | 'collect garbage'
  | 'close'

/** What it says when it is ready. */
export interface Ability {
  readonly operation: string
  readonly workers: number | undefined
  readonly isOffered: boolean
}

const warmUpRoundMs = 100

const [store = '', side = '', url = '', start = ''] = process.argv.slice(2)
const entrants = await stores[store]!()
const keys = { start: Number(start), count: entrants.keys ?? 2_000 }
const client: Client = await entrants[side as 'native' | 'unikv'](url)
await fill(client, keys)
const steps = stepsOf(client, keys)

// It ends with who started it, however that ends.
process.once('disconnect', () => process.exit())
process.on('message', async (order: Order) => {
  process.send?.(await done(order))
  if (order === 'close') process.disconnect()
})
process.send?.(steps.map(abilityOf))

async function done(order: Order): Promise<unknown> {
  if (order === 'close') return (await client.close(), 'closed')
  if (order === 'collect garbage') return (globalThis.gc?.(), 'collected')
  const step = steps[order.round] as Step
  return 'warmUpMs' in order ? warmUp(step, order.warmUpMs) : roundOf(step, order.durationMs)
}

function roundOf({ run, workers = 1, prepare }: Step, durationMs: number): Promise<Round> {
  return closedLoop(run as NonNullable<typeof run>, workers, durationMs, prepare)
}

/** What the compiler has made of an operation, and what not yet, differs from client to client. */
async function warmUp(step: Step, durationMs: number): Promise<string> {
  const endsAt = performance.now() + durationMs
  while (performance.now() < endsAt) await roundOf(step, warmUpRoundMs)
  return 'warm'
}

function abilityOf({ operation, workers, run }: Step): Ability {
  return { operation, workers, isOffered: run !== undefined }
}
