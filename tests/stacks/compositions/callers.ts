import { isStoreError, StoreError } from '@unikv/core'
import { type Random, settled } from '@unikv/test-kit/schedules'
import type { Composition, Process } from './composition.ts'
import type { History, Reader, Write } from './history.ts'
import type { Target } from './target.ts'
import type { Time } from './time.ts'
import { isSpoiled, spoil, type Value, valueOf } from './values.ts'

/** The keys of a program. */
export const keys = ['a', 'b', 'c'] as const
/** Turns of the event loop in which a call has to settle that was ended. */
const fewTurns = 40
/** Most calls at once. */
const mostCalls = 6
/** By how much a call may be late: deadlines are looked at every 10 ms, and a late look is looked at again. */
const lateMs = 60

interface Call {
  readonly name: string
  readonly process: number
  readonly abort: AbortController
  /** By the monotonic clock; of a listing, which has a deadline for each page, later. */
  readonly endsAt: number
  isSettled: boolean
  /** Whether the process of its caller is gone. */
  isForgotten: boolean
}

/** What a call came to. */
export type Result<T> = T | StoreError

/** Where a call is made. */
export interface Place {
  readonly place: number
  readonly kv: Target
}

/** Calls of a program, and what is wrong with their answers. */
export class Callers {
  readonly violations: string[] = []
  /** Calls that were made. */
  operations = 0
  readonly history: History
  readonly random: Random
  readonly composition: Composition
  /** Places whose process is being closed. */
  readonly closing = new Set<number>()
  readonly #time: Time
  readonly #calls = new Set<Call>()
  /** Values that belong to the one who was given them. */
  readonly #given = new WeakSet<object>()

  constructor(random: Random, time: Time, history: History, composition: Composition) {
    this.random = random
    this.#time = time
    this.history = history
    this.composition = composition
  }

  /** A place for one more call, unless there are enough. */
  place(processes: readonly Process[]): Place | undefined {
    if (this.#calls.size >= mostCalls) return undefined
    this.operations++
    const place = this.random.below(processes.length)
    return { place, kv: (processes[place] as Process).kv }
  }

  /** What history calls a key of a stack: two datasets have nothing in common. */
  named(place: number, key: string): string {
    return `${this.composition.datasetOf(place)}/${key}`
  }

  /** This share of the callers give up; each is told soon, whatever hangs. */
  async giveUp(share: number): Promise<void> {
    const ended = Array.from(this.#calls).filter(() => this.random.chance(share))
    for (const { abort } of ended) abort.abort()
    for (let i = 0; i < fewTurns && ended.some((one) => !one.isSettled); i++) await settled()
    for (const one of ended) if (!one.isSettled) this.violations.push(`${one.name} went on after its end`)
    for (const one of ended) this.#calls.delete(one)
  }

  /** Nobody of this process is there any more who could hear an answer. */
  forget(place: number): void {
    for (const call of this.#calls) {
      if (call.process !== place) continue
      call.isForgotten = true
      this.#calls.delete(call)
    }
  }

  /** No call goes on after its deadline. */
  async checkDeadlines(): Promise<void> {
    const late = (): Call[] => Array.from(this.#calls).filter(({ endsAt }) => endsAt < this.#time.mono())
    for (let i = 0; i < fewTurns && late().length > 0; i++) await settled()
    for (const call of late()) {
      this.violations.push(`${call.name} is past its deadline`)
      this.#calls.delete(call)
    }
  }

  /** What is closed has answered all. */
  async checkClosed(place: number): Promise<void> {
    const open = (): Call[] => Array.from(this.#calls).filter(({ process }) => process === place)
    for (let i = 0; i < fewTurns && open().length > 0; i++) await settled()
    for (const { name } of open()) this.violations.push(`${name} goes on in what is closed`)
    this.forget(place)
  }

  /** Make a call; what it settled with, or the error. It never returns to a caller that is gone. */
  async call<T>(name: string, place: number, make: (settings: object) => Promise<T>): Promise<Result<T>> {
    const timeoutMs = this.random.pick([50, 200, 1_000, 5_000])
    // Each page of a listing has a deadline of its own.
    const pages = name === 'keys' || name === 'entries' || name === 'clear' ? 4 : 1
    const endsAt = this.#time.mono() + timeoutMs * pages + lateMs
    const abort = new AbortController()
    const call: Call = { name, process: place, abort, endsAt, isSettled: false, isForgotten: false }
    this.#calls.add(call)
    const result = await this.#settled(call, () => make({ signal: abort.signal, timeoutMs }))
    return call.isForgotten ? new Promise(() => {}) : result
  }

  async #settled<T>(call: Call, make: () => Promise<T>): Promise<Result<T>> {
    const { name } = call
    try {
      return await make()
    } catch (error) {
      if (isStoreError(error)) return this.#error(call, error)
      this.violations.push(`${name} rejected with ${String(error)}`)
      return new StoreError('OUTCOME_UNKNOWN', String(error), { cause: error })
    } finally {
      call.isSettled = true
      this.#calls.delete(call)
    }
  }

  /** Only the close of its own process closes anything to a call. */
  #error(call: Call, error: StoreError): StoreError {
    const { name, process } = call
    if (error.code === 'CLOSED' && this.#calls.has(call) && !this.closing.has(process))
      this.violations.push(`${name}: ${String(error)}`)
    return error
  }

  /** A new value, which its owner spoils when the call has been made. */
  value(): Value {
    return valueOf(this.composition.has.value, this.history.nextId())
  }

  /** The value belongs to its caller again as soon as the call has returned its promise. */
  owned<T>(values: readonly Value[], promise: Promise<T>): Promise<T> {
    for (const value of values) spoil(value)
    return promise
  }

  /** Look at an answer, and spoil it: it belongs to its caller. */
  check(name: string, value: Value | undefined, reader: Reader): void {
    this.note(this.history.wrong(name, value?.id, reader))
    if (value !== undefined) this.receive(name, value)
  }

  /** A value was given to a caller, for it alone unless nobody can change it. */
  receive(name: string, value: Value): void {
    if (isSpoiled(value)) this.violations.push(`${name}: a spoiled value`)
    if (Object.isFrozen(value)) return
    if (this.#given.has(value)) this.violations.push(`${name}: a value that belongs to another caller`)
    this.#given.add(value)
    spoil(value)
  }

  /** Something is wrong, or not. */
  note(wrong: string | undefined): void {
    if (wrong !== undefined) this.violations.push(wrong)
  }

  /** A write came to its end. */
  ended(write: Write, result: unknown): void {
    if (!isStoreError(result)) this.history.acknowledge(write, versionOf(result))
    else if (result.code !== 'OUTCOME_UNKNOWN' && result.code !== 'PARTIAL') write.isRefused = true
  }
}

function versionOf(result: unknown): string | undefined {
  const { version } = Object(result) as { version?: unknown }
  return typeof version === 'string' ? version : undefined
}
