import { isStoreError } from '@unikv/core'
import { mulberry32, type RecordedTransaction } from '@unikv/test-kit'
import {
  type Change,
  type Faults,
  faults,
  type Opening,
  opened,
  Process,
  type Shared,
  type Way,
} from './world.ts'

const clients = 4
const transactionsOfEach = 12
const keys = ['a', 'b', 'c']

/** Some steps fail, of all kinds of faults. */
function some(random: () => number, share: number): Faults {
  return () => (random() < share ? faults[Math.floor(random() * faults.length)] : undefined)
}

/** How a history is made otherwise than by default. */
export interface Plan {
  /** Reads of what is not written go past the transaction. */
  readonly readsPast?: boolean
  readonly change?: Change
  /** The way to the records. */
  readonly open?: Opening
  /** How many steps fail. @default one of thirty */
  readonly share?: number
  /** In front of all keys: for stores that are used again. @default none */
  readonly prefix?: string
}

/** One client, whose process begins anew when it is gone. */
class Client {
  readonly #shared: Shared
  readonly #random: () => number
  readonly #history: RecordedTransaction[]
  #process: Process
  #stores: Way
  #stamps = 0
  readonly #name: string
  readonly #plan: Plan

  constructor(shared: Shared, seed: number, history: RecordedTransaction[], plan: Plan) {
    this.#shared = shared
    this.#plan = plan
    this.#random = mulberry32(seed)
    this.#history = history
    this.#name = String(seed)
    this.#process = this.#begun()
    this.#stores = this.#opened()
  }

  #begun(): Process {
    return new Process(some(this.#random, this.#plan.share ?? 1 / 30), this.#plan.change)
  }

  #opened(): Way {
    return (this.#plan.open ?? opened)(this.#shared, this.#process)
  }

  async work(): Promise<void> {
    for (let i = 0; i < transactionsOfEach; i++) {
      if (this.#random() < 0.2) await this.#plain()
      else await this.#transact()
    }
    // Some stores refuse what comes after its deadline.
    for (const arrive of this.#process.late) await Promise.resolve(arrive()).catch(() => {})
  }

  /** A read outside of transactions is one, too. */
  async #plain(): Promise<void> {
    const [name, key] = this.#pick()
    await this.#recorded(async ({ reads }) => {
      reads.set(`${name} ${key}`, stampOf(await this.#stores[name].get(key)))
    })
  }

  async #transact(): Promise<void> {
    const lists = this.#random() < 0.2
    const places = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => this.#pick())
    await this.#recorded(async (seen) => {
      await this.#stores.db.run(
        async (tx) => {
          seen.reads.clear()
          seen.writes.clear()
          if (lists) await this.#list(seen, tx)
          const changes = places.map(() => this.#random() < 0.6)
          for (const [i, [name, key]] of places.entries()) {
            const isPast = this.#plan.readsPast === true && changes[i] === false
            const value = isPast ? await this.#stores[name].get(key) : await tx[name].get(key)
            seen.reads.set(`${name} ${key}`, stampOf(value))
          }
          for (const [i, [name, key]] of places.entries()) {
            if (changes[i] === false) continue
            const stamp = `${this.#name}-${++this.#stamps}`
            seen.writes.set(`${name} ${key}`, stamp)
            await tx[name].set(key, stamp as never)
          }
        },
        { timeoutMs: 3000 },
      )
    })
  }

  /** What is not listed is not there. */
  async #list({ reads }: Seen, tx: Listing): Promise<void> {
    const name = this.#random() < 0.5 ? 'red' : 'blue'
    const { prefix = '' } = this.#plan
    const listed = new Map(await tx[name].scan({ prefix }))
    for (const key of keys.map((one) => `${prefix}${one}`))
      reads.set(`${name} ${key}`, stampOf(listed.get(key)))
  }

  #pick(): readonly ['red' | 'blue', string] {
    const name = this.#random() < 0.5 ? 'red' : 'blue'
    const key = keys[Math.floor(this.#random() * keys.length)] as string
    return [name, `${this.#plan.prefix ?? ''}${key}`]
  }

  async #recorded(work: (seen: Seen) => Promise<void>): Promise<void> {
    const seen: Seen = { reads: new Map(), writes: new Map() }
    const calledAt = performance.now()
    const end = await Promise.race([
      work(seen).then(() => 'committed', codeOf),
      this.#process.gone.then(() => 'gone'),
    ])
    const isKnown = end === 'committed'
    if (isKnown || end === 'gone' || end === 'OUTCOME_UNKNOWN')
      this.#history.push({
        ...seen,
        calledAt,
        returnedAt: isKnown ? performance.now() : Number.POSITIVE_INFINITY,
        result: isKnown ? 'committed' : 'unknown',
      })
    if (end === 'gone') this.#restart()
  }

  #restart(): void {
    const { late } = this.#process
    this.#process = this.#begun()
    this.#process.late.push(...late)
    this.#stores = this.#opened()
  }
}

/** The part of a transaction that lists. */
type Listing = Readonly<
  Record<
    'red' | 'blue',
    { scan(options: { readonly prefix: string }): Promise<(readonly [string, unknown])[]> }
  >
>

interface Seen {
  readonly reads: Map<string, string | undefined>
  readonly writes: Map<string, string>
}

function stampOf(value: unknown): string | undefined {
  return value as string | undefined
}

function codeOf(error: unknown): string {
  if (isStoreError(error)) return error.code
  throw error
}

/** A history of four clients, with a last look at all records by one that came after. */
export async function historyOf(
  seed: number,
  shared: Shared,
  plan: Plan = {},
): Promise<readonly RecordedTransaction[]> {
  const history: RecordedTransaction[] = []
  await Promise.all(
    Array.from({ length: clients }, (_, i) => new Client(shared, seed * 100 + i, history, plan).work()),
  )
  const last = (plan.open ?? opened)(shared)
  const { prefix = '' } = plan
  // Elsewhere the last look settles what it meets.
  if (prefix === '') await last.db.recover({ leaseMs: 50, walk: true })
  const calledAt = performance.now()
  const reads = new Map<string, string | undefined>()
  for (const name of ['red', 'blue'] as const)
    for (const key of keys.map((one) => `${prefix}${one}`))
      reads.set(`${name} ${key}`, stampOf(await last[name].get(key)))
  history.push({ reads, writes: new Map(), calledAt, returnedAt: performance.now(), result: 'committed' })
  return history
}
