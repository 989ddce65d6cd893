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

/**
 * A memory store in which everything takes time, and the schedule decides how much. Each item of a batch takes effect at
 * a moment of its own, and is answered later; it may fail before, or with an effect that comes long after.
 */
export class ControlledStore {
  /** Calls that failed. */
  failures = 0
  readonly #random: Random
  readonly #inner: MemoryStore
  #failureShare: number
  #underWay: (() => void)[][] = []
  #late: (() => void)[] = []

  constructor(random: Random, clock: () => number) {
    this.#random = random
    this.#inner = memory({ clock })
    this.#failureShare = random.pick([0, 0, 0.02, 0.1, 0.3])
  }

  /** The store as one process sees it. */
  open(capabilities: Partial<Capabilities>): ProcessStore {
    return new ProcessStore(this, { ...this.#inner.capabilities, sync: 'none', ...capabilities })
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return Promise.all(reads.map((read) => this.#readOne(read, call)))
  }

  #readOne(read: Read, call: CallOptions): Promise<ReadResult<Bytes>> {
    return new Promise((resolve) => {
      const fails = this.#random.chance(this.#failureShare)
      let seen: ReadResult<Bytes>
      const look = (): void => {
        ;[seen] = this.#inner.read([read], call) as readonly ReadResult<Bytes>[]
      }
      this.#underWay.push([look, () => resolve(fails ? this.#failed('UNAVAILABLE') : seen)])
    })
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    call.sent = true
    return Promise.all(mutations.map((mutation) => this.#writeOne(mutation, call)))
  }

  #writeOne(mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
    return new Promise((resolve) => {
      const fate = this.#random.chance(this.#failureShare) ? this.#random.pick(fates) : 'acknowledged'
      let result: WriteResult
      const apply = (): void => {
        ;[result] = this.#inner.write([mutation], call) as readonly [WriteResult]
      }
      this.#underWay.push([
        () => {
          if (fate === 'acknowledged' || fate === 'applied, then lost') apply()
        },
        () => {
          if (fate === 'acknowledged') return resolve(result)
          if (fate === 'lost, then applied') this.#late.push(apply)
          resolve(this.#failed(fate === 'refused' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN'))
        },
      ])
    })
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#inner.scan(range, call) as Iterable<Page<Bytes>>
  }

  /** Whether anything waits for `step`. */
  get busy(): boolean {
    return this.#underWay.length > 0
  }

  /** Whether a write may still take effect although nobody waits for it. */
  get isInDoubt(): boolean {
    return this.#late.length > 0
  }

  /** Let one request, chosen at random, go one step further. */
  step(): void {
    const request = this.#random.pick(this.#underWay)
    request.shift()?.()
    if (request.length === 0) this.#underWay = this.#underWay.filter((one) => one !== request)
  }

  /** Let a write of unknown outcome take effect, chosen at random. */
  applyLate(): void {
    if (this.#late.length === 0) return
    const [apply] = this.#late.splice(this.#random.below(this.#late.length), 1)
    apply?.()
  }

  /** Fail no more. */
  heal(): void {
    this.#failureShare = 0
  }

  /** All that is there now. */
  get present(): ReadonlyMap<string, Entry<Bytes>> {
    return this.#inner.native
  }

  #failed(code: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN'): StoreError {
    this.failures++
    return new StoreError(code, 'The schedule says so.')
  }
}

const never = new Promise<never>(() => {})

/** What a process holds of the store: nothing any more once it was killed. */
export class ProcessStore implements Store<Bytes> {
  readonly name = 'controlled'
  readonly capabilities: Capabilities
  readonly native = undefined
  #isKilled = false
  readonly #store: ControlledStore

  constructor(store: ControlledStore, capabilities: Capabilities) {
    this.#store = store
    this.capabilities = capabilities
  }

  /** What was sent goes on; nothing else is ever sent, and no answer comes. */
  kill(): void {
    this.#isKilled = true
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const results = this.#isKilled ? await never : await this.#store.read(reads, call)
    return this.#isKilled ? never : results
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const results = this.#isKilled ? await never : await this.#store.write(mutations, call)
    return this.#isKilled ? never : results
  }

  scan(range: ScanRange, call: CallOptions): Iterable<Page<Bytes>> {
    return this.#store.scan(range, call)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
