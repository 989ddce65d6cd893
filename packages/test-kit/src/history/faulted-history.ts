import { faultProxy } from '../faults/fault-proxy.ts'
import { type Judgement, judge } from './linearizable.ts'
import { type ConditionalKeyValue, recordHistory } from './record.ts'
import { sabotage } from './saboteur.ts'

/** Options of a record under faults. */
export interface FaultedHistoryOptions {
  /** The server: `open` gets this URL with a proxy's port in it. */
  readonly url: string
  /** A KeyValue whose connections all go through `url`, over the same dataset each time. It is closed at the end. */
  readonly open: (url: string) => ConditionalKeyValue | Promise<ConditionalKeyValue>
  /** At least so many operations, in histories of up to 2,000. @default $UNIKV_OPERATIONS, else 1,000 */
  readonly operations?: number
  /** @default $UNIKV_SEED, else 1 */
  readonly seed?: number
  /** Clients at once, each with a KeyValue of its own. @default 6 */
  readonly clients?: number
  /** Deadline of each call in milliseconds. @default 500 */
  readonly timeoutMs?: number
  /** Level that every call asks for. @default that of the store */
  readonly consistency?: string | undefined
  /** Mean time between two faults in milliseconds. @default 40 */
  readonly everyMs?: number
  /** Further harm, such as a kill and restart of the server. */
  readonly others?: Readonly<Record<string, () => Promise<unknown>>>
}

/** The result of such records. */
export interface FaultedHistories {
  readonly histories: number
  readonly operations: number
  /** Calls by how they ended: `applied`, `refused`, `read`, or the code of an error. */
  readonly ends: Readonly<Record<string, number>>
  /** Faults by name. */
  readonly faults: Readonly<Record<string, number>>
}

/**
 * Record histories of a store while its network breaks, and judge them.
 *
 * @throws Error for the first history that is not linearizable, with its seed and the operations around the place
 */
export function faultedHistories(options: FaultedHistoryOptions): Promise<FaultedHistories> {
  return judged(options, (operations, seed) => faultedHistory(options, operations, seed))
}

/** Options of a record without a network: clients of the same dataset get in each other's way, and nothing fails. */
export interface ContendedHistoryOptions extends Pick<FaultedHistoryOptions, 'operations' | 'seed'> {
  /** They may share a store, or a KeyValue; they are not closed. */
  readonly clients: readonly ConditionalKeyValue[]
}

/**
 * Record histories of a store that several clients change at once, and judge them.
 *
 * @throws Error for the first history that is not linearizable, with its seed and the operations around the place
 */
export function contendedHistories(options: ContendedHistoryOptions): Promise<FaultedHistories> {
  const { clients } = options
  return judged(options, async (operations, seed) => {
    const { history, ends } = await recordHistory({ clients, keys: keysOf(seed), operations, seed })
    return { judgement: judge(history), ends, faults: {} }
  })
}

async function judged(
  options: Pick<FaultedHistoryOptions, 'operations' | 'seed'>,
  record: (operations: number, seed: number) => Promise<Outcome>,
): Promise<FaultedHistories> {
  const { operations = Number(process.env['UNIKV_OPERATIONS'] ?? 1_000) } = options
  const { seed = Number(process.env['UNIKV_SEED'] ?? 1) } = options
  const ends: Record<string, number> = {}
  const faults: Record<string, number> = {}
  let histories = 0
  let recorded = 0
  while (recorded < operations) {
    const size = Math.min(2_000, operations - recorded)
    const outcome = await record(size, seed + histories)
    histories += 1
    recorded += size
    add(ends, outcome.ends)
    add(faults, outcome.faults)
    refuse(outcome.judgement, seed + histories - 1)
  }
  return { histories, operations: recorded, ends, faults }
}

function keysOf(seed: number): readonly string[] {
  return ['a', 'b', 'c'].map((name) => `history ${seed} ${name}`)
}

interface Outcome {
  readonly judgement: Judgement
  readonly ends: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
}

async function faultedHistory(
  {
    url,
    open,
    clients: count = 6,
    timeoutMs = 500,
    everyMs = 40,
    others = {},
    consistency,
  }: FaultedHistoryOptions,
  operations: number,
  seed: number,
): Promise<Outcome> {
  await using proxy = await faultProxy(url)
  const clients = await Promise.all(Array.from({ length: count }, async () => open(proxy.url)))
  try {
    const keys = keysOf(seed)
    // Everybody is connected, and the keys are absent, before harm begins.
    await Promise.all(
      clients.flatMap((client) => keys.map((key) => client.delete(key, { timeoutMs: 20_000 }))),
    )
    const harm = sabotage(proxy, { seed, everyMs, others })
    let faults: Readonly<Record<string, number>> = {}
    const beforeLastReads = async (): Promise<void> => {
      faults = await harm.stop()
    }
    const { history, ends } = await recordHistory({
      clients,
      keys,
      operations,
      seed,
      timeoutMs,
      consistency,
      beforeLastReads,
    })
    return { judgement: judge(history), ends, faults }
  } finally {
    proxy.pass()
    await Promise.all(clients.map((client) => client.close()))
  }
}

function add(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count
}

function refuse(judgement: Judgement, seed: number): void {
  if (judgement.linearizable) return
  const { key, operations, stuckAt } = judgement
  const around = operations.filter(
    ({ calledAt, returnedAt }) => returnedAt >= stuckAt.calledAt - 60 && calledAt <= stuckAt.returnedAt + 20,
  )
  const lines = around.map((one) => `${one === stuckAt ? '>' : ' '} ${JSON.stringify(one)}`)
  throw new Error(`seed ${seed}: the history of '${key}' is not linearizable:\n${lines.join('\n')}`)
}
