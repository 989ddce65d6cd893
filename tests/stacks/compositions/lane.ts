import {
  type Bytes,
  type CallOptions,
  isWritten,
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
import { virtual } from './platform.ts'
import type { Time } from './time.ts'

/** `down` refuses each request, `hung` answers none until it is up again. */
export type Mode = 'up' | 'down' | 'hung'

const fates = ['refused', 'applied, then lost', 'lost, then applied', 'lost for ever'] as const

interface Request {
  readonly owner: object
  /** What is still to happen, in this order. */
  readonly steps: (() => void)[]
  /** What the store would do if only the request arrived. */
  readonly effect: (() => void) | undefined
}

/**
 * A store that several processes reach: everything takes time, and the program decides how much. A request takes effect at
 * one moment, is answered at a later one, and may fail before, in between, or with an effect that comes late.
 */
export class Lane {
  readonly name: string
  readonly inner: MemoryStore
  mode: Mode = 'up'
  /** Whether a write may take effect after its call was given up. */
  mayBeLate = true
  /** How long after it was sent a write takes effect at most, in milliseconds. */
  latestMs: number = Number.POSITIVE_INFINITY
  /** Versions that the store has or had. */
  readonly taken = new Set<string>()
  /** Share of values that are refused, however often they come. */
  poisonShare = 0
  /** Versions, and whether they are refused. */
  readonly #poison = new Map<string, boolean>()
  readonly #random: Random
  #failureShare: number
  #underWay: Request[] = []
  #late: (() => void)[] = []

  constructor(name: string, random: Random, time: Time, failureShare: number) {
    this.name = name
    this.#random = random
    this.#failureShare = failureShare
    this.inner = memory({ clock: time.clock, name })
  }

  /** Whether `step` would do something. */
  get canStep(): boolean {
    return this.mode === 'up' && this.#underWay.length > 0
  }

  /** Let one request, chosen at random, go one step further. */
  step(): void {
    const request = this.#random.pick(this.#underWay)
    request.steps.shift()?.()
    if (request.steps.length === 0) this.#underWay = this.#underWay.filter((one) => one !== request)
  }

  /** Let what was lost take effect. */
  applyLate(): void {
    for (const apply of this.#late.splice(0)) apply()
  }

  /** From now on nothing fails. */
  heal(): void {
    this.mode = 'up'
    this.#failureShare = 0
    this.poisonShare = 0
    this.applyLate()
  }

  /** Keys of records that have not expired. */
  alive(nowMs: number): string[] {
    const records = Array.from(this.inner.native)
    return records.filter(([, { expiresAt = nowMs + 1 }]) => expiresAt > nowMs).map(([key]) => key)
  }

  /** Requests of one process that were not answered. */
  waitingOf(port: Port): number {
    return this.#underWay.filter(({ owner }) => owner === port).length
  }

  /** The store as one process reaches it. */
  port(isMerged: boolean): Port {
    const { capabilities } = this.inner
    const batch = isMerged ? { ...capabilities.batch, coalesce: { min: 2, max: 8 } } : capabilities.batch
    let isDead = false
    const guarded = <T>(ask: () => Promise<T>): Promise<T> => {
      if (isDead) return never()
      return port.closes > 0 ? Promise.reject(closed(this.name)) : ask()
    }
    const port: Port = {
      closes: 0,
      name: this.name,
      waiting: () => this.waitingOf(port),
      store: {
        name: this.name,
        dataset: `programs/${this.name}`,
        capabilities: { ...capabilities, batch, sync: 'none' },
        native: undefined,
        read: (reads, call) => guarded(() => this.#read(port, reads, call)),
        write: (mutations, call) => guarded(() => this.#write(port, mutations, call)),
        scan: (range, call) => this.#scan(guarded, port, range, call),
        close: async () => void port.closes++,
      },
      kill: () => {
        isDead = true
        this.#drop(port)
      },
    }
    return port
  }

  #read(owner: object, reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return this.#ask(owner, () => this.inner.read(reads, call) as readonly ReadResult<Bytes>[])
  }

  #ask<T>(owner: object, look: () => T): Promise<T> {
    if (this.mode === 'down') return Promise.reject(refused())
    return new Promise((resolve, reject) => {
      const fails = this.#random.chance(this.#failureShare)
      let seen: T
      const steps = [() => void (seen = look()), () => (fails ? reject(refused()) : resolve(seen))]
      this.#underWay.push({ owner, steps, effect: undefined })
    })
  }

  #write(
    owner: object,
    mutations: readonly Mutation<Bytes>[],
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    if (this.mode === 'down') return Promise.reject(refused())
    call.sent = true
    return new Promise((resolve, reject) => {
      const fate = this.#random.chance(this.#failureShare) ? this.#random.pick(fates) : 'acknowledged'
      const latestAt = virtual.now + this.latestMs
      let results: readonly WriteResult[] = []
      const apply = (): void => {
        const isGivenUp = !this.mayBeLate && (call.settled === true || call.deadlineAt <= virtual.now)
        if (!isGivenUp && virtual.now <= latestAt) results = this.#applied(mutations, call)
      }
      const arrive = (): void => {
        if (fate === 'acknowledged' || fate === 'applied, then lost') apply()
      }
      const answer = (): void => {
        if (fate === 'acknowledged' && results.length > 0) return resolve(results)
        if (fate === 'lost, then applied' && this.mayBeLate) this.#late.push(apply)
        reject(fate === 'refused' ? refused() : unknown())
      }
      this.#underWay.push({ owner, steps: [arrive, answer], effect: apply })
    })
  }

  /** Write what is not refused. */
  #applied(mutations: readonly Mutation<Bytes>[], call: CallOptions): readonly WriteResult[] {
    const taken = mutations.filter((one) => !this.#isPoison(one))
    const results = this.inner.write(taken, call) as readonly WriteResult[]
    results.forEach((result, i) => {
      if (isWritten(result)) this.taken.add((taken[i] as Mutation<Bytes>).version)
    })
    return mutations.map((one) => results[taken.indexOf(one)] ?? tooLarge())
  }

  #isPoison({ type, version }: Mutation<Bytes>): boolean {
    if (this.poisonShare === 0 || type !== 'set') return false
    const isPoison = this.#poison.get(version) ?? this.#random.chance(this.poisonShare)
    this.#poison.set(version, isPoison)
    return isPoison
  }

  async *#scan(
    guarded: <T>(ask: () => Promise<T>) => Promise<T>,
    owner: object,
    range: ScanRange,
    call: CallOptions,
  ): AsyncGenerator<Page<Bytes>> {
    const pages = (this.inner.scan(range, call) as Iterable<Page<Bytes>>)[Symbol.iterator]()
    // That there is nothing is an answer, too.
    while (true) {
      const { done, value } = await guarded(() => this.#ask(owner, () => pages.next()))
      if (done === true) return
      yield value
      if (value.resume === undefined) return
    }
  }

  /** A process is killed: what it had sent arrives or not, and nobody hears an answer. */
  #drop(owner: object): void {
    for (const { effect, steps } of this.#underWay.filter((one) => one.owner === owner))
      if (steps.length === 2 && this.#random.chance(0.5)) effect?.()
    this.#underWay = this.#underWay.filter((one) => one.owner !== owner)
  }
}

/** A lane as one process reaches it. */
export interface Port {
  readonly store: Store<Bytes>
  readonly name: string
  /** How often it was closed. */
  closes: number
  /** Its requests that were not answered. */
  waiting(): number
  kill(): void
}

function never(): Promise<never> {
  return new Promise(() => {})
}

function tooLarge(): StoreError {
  return new StoreError('VALUE_TOO_LARGE', 'The program says so.')
}

function closed(name: string): StoreError {
  return new StoreError('CLOSED', `${name} was closed.`)
}

function refused(): StoreError {
  return new StoreError('UNAVAILABLE', 'The program says so.')
}

function unknown(): StoreError {
  return new StoreError('OUTCOME_UNKNOWN', 'The program says so.')
}
