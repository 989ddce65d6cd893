import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Entry,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import type { Random } from '@unikv/test-kit/schedules'

/** What becomes of a write that is not acknowledged. */
const fates = ['refused', 'applied, then lost', 'lost, then applied', 'lost for ever'] as const

/** A write of unknown outcome that is still to take effect. */
interface Late {
  readonly untilMs: number
  readonly apply: () => void
}

/** What a schedule decides about a store. */
export interface ControlledOptions {
  readonly name: string
  readonly random: Random
  readonly clock: () => number
  /** How long after its lost answer a write may still take effect. */
  readonly doubtMs: number
  readonly capabilities?: Partial<Capabilities>
}

/**
 * A memory store in which everything takes time, and the schedule decides how much: each call takes effect at one moment
 * and is answered at a later one, and may fail in between, before, or with an effect that comes long after.
 */
export class ControlledStore implements Store<Bytes> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly native = undefined
  /** Calls that failed. */
  failures = 0
  readonly #inner: MemoryStore
  readonly #options: ControlledOptions
  #failureShare: number
  #underWay: (() => void)[][] = []
  #late: Late[] = []

  constructor(options: ControlledOptions) {
    const { name, random, clock } = options
    this.name = name
    this.#options = options
    this.#inner = memory({ name, clock })
    this.#failureShare = random.pick([0, 0, 0, 0.02, 0.1, 0.4])
    this.capabilities = { ...this.#inner.capabilities, sync: 'none', ...options.capabilities }
  }

  read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return new Promise((resolve, reject) => {
      const fails = this.#options.random.chance(this.#failureShare)
      let seen: readonly ReadResult<Bytes>[] = []
      this.#underWay.push([
        () => {
          seen = this.#inner.read(reads, call) as readonly ReadResult<Bytes>[]
        },
        () => (fails ? reject(this.#failed('UNAVAILABLE')) : resolve(seen)),
      ])
    })
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const { random, clock, doubtMs } = this.#options
    return new Promise((resolve, reject) => {
      const fate = random.chance(this.#failureShare) ? random.pick(fates) : 'acknowledged'
      let results: readonly WriteResult[] = []
      const apply = (): void => {
        results = this.#inner.write(mutations, call) as readonly WriteResult[]
      }
      this.#underWay.push([
        () => {
          if (fate === 'acknowledged' || fate === 'applied, then lost') apply()
        },
        () => {
          if (fate === 'acknowledged') return resolve(results)
          if (fate === 'refused') return reject(this.#failed('UNAVAILABLE'))
          if (fate === 'lost, then applied') this.#late.push({ untilMs: clock() + doubtMs, apply })
          reject(this.#failed('OUTCOME_UNKNOWN'))
        },
      ])
    })
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#inner.scan(range, call) as Iterable<Page<Bytes>>
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** Whether anything waits for `step`. */
  get busy(): boolean {
    return this.#underWay.length > 0
  }

  /** Whether a write may still take effect although nobody waits for it. */
  get isInDoubt(): boolean {
    return this.#late.length > 0
  }

  /** Let one call, chosen at random, go one step further. */
  step(): void {
    const call = this.#options.random.pick(this.#underWay)
    call.shift()?.()
    if (call.length === 0) this.#underWay = this.#underWay.filter((one) => one !== call)
  }

  /** Let writes of unknown outcome take effect: one at random, and those that may not come later than `nowMs`. */
  applyLate(nowMs: number): void {
    const chosen = this.#late.length > 0 ? this.#options.random.pick(this.#late) : undefined
    const due = this.#late.filter((late) => late === chosen || late.untilMs <= nowMs)
    this.#late = this.#late.filter((late) => !due.includes(late))
    for (const { apply } of due) apply()
  }

  /** Fail no more. */
  heal(): void {
    this.#failureShare = 0
  }

  /** What a key holds now. */
  present(key: string): Entry<Bytes> | undefined {
    const [found] = this.#inner.read([{ key }], { deadlineAt: Infinity }) as readonly ReadResult<Bytes>[]
    return found as Entry<Bytes> | undefined
  }

  #failed(code: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN'): StoreError {
    this.failures++
    return new StoreError(code, 'The schedule says so.')
  }
}
