import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  isLive,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import type { Random } from '@unikv/test-kit/schedules'

/** What a key held at some time. */
export interface State {
  /** `undefined`: nothing. */
  readonly value: Bytes | undefined
  readonly version: string | undefined
  readonly expiresAt: number | undefined
  /** The mutation that made it so; the first state has none. */
  readonly token: string | undefined
}

interface Operation {
  readonly keys: readonly string[]
  readonly steps: (() => void)[]
}

/**
 * A store in which everything takes time, and the schedule decides how much: a read sees its keys at one moment and
 * answers at a later one, a write takes effect at one and is acknowledged at another, and both may fail: before
 * anything happened, or with an unknown outcome, after which the write may still take effect a little later.
 */
export class ControlledStore implements Store<Bytes> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly native = undefined
  /** What each key held, oldest first. */
  readonly history = new Map<string, State[]>()
  /** Reads of each key that failed. */
  readonly failedReads = new Map<string, number>()
  #underWay: Operation[] = []
  #late: { readonly keys: readonly string[]; readonly apply: () => void }[] = []
  readonly #random: Random
  readonly #clock: () => number
  #failures: number

  constructor(name: string, random: Random, clock: () => number, changed: Partial<Capabilities>) {
    this.name = name
    this.#random = random
    this.#clock = clock
    this.#failures = random.pick([0, 0, 0.05, 0.25])
    this.capabilities = { ...memory().capabilities, sync: 'none', ...changed }
  }

  /** From now on nothing fails. */
  neverFail(): void {
    this.#failures = 0
  }

  read(reads: readonly Read[], _call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return new Promise((resolve, reject) => {
      const fails = this.#random.chance(this.#failures)
      let seen: readonly ReadResult<Bytes>[]
      this.#start(reads, [
        () => {
          seen = reads.map((read) => this.#see(read))
        },
        () => {
          if (!fails) return resolve(seen)
          for (const { key } of reads) this.failedReads.set(key, (this.failedReads.get(key) ?? 0) + 1)
          reject(new StoreError('UNAVAILABLE', 'The schedule says so.'))
        },
      ])
    })
  }

  write(mutations: readonly Mutation<Bytes>[], _call: CallOptions): Promise<readonly WriteResult[]> {
    return new Promise((resolve, reject) => {
      const keys = mutations.map(({ key }) => key)
      const fate = this.#random.chance(this.#failures) ? this.#random.pick(fates) : 'acknowledged'
      let results: readonly WriteResult[] = []
      const apply = () => {
        this.#catchUp(keys)
        results = mutations.map((mutation) => this.#apply(mutation))
      }
      this.#start(mutations, [
        () => {
          if (fate === 'acknowledged' || fate === 'applied, then lost') apply()
        },
        () => {
          if (fate === 'acknowledged') return resolve(results)
          if (fate === 'refused') return reject(new StoreError('UNAVAILABLE', 'The schedule says so.'))
          if (fate === 'lost, then applied') this.#late.push({ keys, apply })
          reject(new StoreError('OUTCOME_UNKNOWN', 'The schedule says so.'))
        },
      ])
    })
  }

  scan(): Iterable<never> {
    return []
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** Whether anything waits for `step`. */
  get busy(): boolean {
    return this.#underWay.length > 0
  }

  /** Let one operation, chosen at random, go one step further. */
  step(): void {
    const operation = this.#random.pick(this.#underWay)
    operation.steps.shift()?.()
    if (operation.steps.length === 0) this.#underWay = this.#underWay.filter((one) => one !== operation)
  }

  /** Let all writes of unknown outcome that are still to take effect do so. */
  applyLate(): void {
    for (const { apply } of this.#late.splice(0)) apply()
  }

  /** What a key holds now. */
  present(key: string): State {
    const state = this.states(key).at(-1) as State
    return isLive(state.expiresAt, this.#clock()) ? state : { ...nothing, token: state.token }
  }

  states(key: string): State[] {
    let states = this.history.get(key)
    if (states === undefined) {
      states = [nothing]
      this.history.set(key, states)
    }
    return states
  }

  /** Somebody writes a key past all caches, at once. */
  change(key: string, value: Bytes | undefined, token: string): void {
    this.#catchUp([key])
    this.states(key).push({ ...nothing, value, version: value === undefined ? undefined : token, token })
  }

  #start(items: readonly { readonly key: string }[], steps: (() => void)[]): void {
    this.#underWay.push({ keys: items.map(({ key }) => key), steps })
  }

  /** A lost write does not take effect after one that was sent when it had been given up. */
  #catchUp(keys: readonly string[]): void {
    const due = this.#late.filter((late) => late.keys.some((key) => keys.includes(key)))
    this.#late = this.#late.filter((late) => !due.includes(late))
    for (const { apply } of due) apply()
  }

  #see({ key, head, ifNotVersion }: Read): ReadResult<Bytes> {
    const { value, version, expiresAt } = this.present(key)
    if (value === undefined) return undefined
    if (head === true || (ifNotVersion !== undefined && ifNotVersion === version))
      return { notModified: true, version, expiresAt }
    return { value: value.slice(), version, expiresAt }
  }

  #apply(mutation: Mutation<Bytes>): WriteResult {
    const { key, version: token, ifVersion } = mutation
    const there = this.present(key)
    if (ifVersion !== undefined && ifVersion !== (there.version ?? null))
      return { conditionFailed: true, version: there.version }
    const states = this.states(key)
    if (mutation.type === 'delete') states.push({ ...nothing, token })
    else if (mutation.type === 'set') {
      const expiresAt = mutation.expiresAt === 'keep' ? there.expiresAt : mutation.expiresAt
      states.push({ value: mutation.value.slice(), version: token, expiresAt, token })
    } else if (mutation.type === 'touch') {
      if (there.value === undefined) return { conditionFailed: true }
      states.push({ ...there, expiresAt: mutation.expiresAt, token })
    }
    return { version: mutation.type === 'touch' ? there.version : token }
  }
}

const nothing: State = { value: undefined, version: undefined, expiresAt: undefined, token: undefined }

const fates = ['refused', 'applied, then lost', 'lost, then applied', 'lost for ever'] as const
