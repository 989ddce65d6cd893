import { isStoreError, StoreError } from '@unikv/core'
import { type Random, settled } from '@unikv/test-kit/schedules'
import type { Target, Value } from './composition.ts'
import type { History, Reader, Write } from './history.ts'

/** The keys of a program. */
export const keys = ['a', 'b', 'c'] as const
/** One key is busier, so that calls meet. */
const weighted = ['a', 'a', 'a', 'b', 'c'] as const
/** Turns of the event loop in which a call has to settle that was ended. */
const fewTurns = 40
/** Most calls at once. */
const mostCalls = 6

interface Call {
  readonly name: string
  readonly process: number
  readonly abort: AbortController
  isSettled: boolean
}

/** Calls of a program, and what is wrong with their answers. */
export class Callers {
  readonly violations: string[] = []
  /** Calls that were made. */
  operations = 0
  readonly #random: Random
  readonly #history: History
  /** Whether answers may come from a store that lags. */
  readonly #lags: boolean
  readonly #calls = new Set<Call>()

  constructor(random: Random, history: History, lags: boolean) {
    this.#random = random
    this.#history = history
    this.#lags = lags
  }

  /** Make a random call, unless there are enough. */
  start(targets: readonly Target[]): void {
    if (this.#calls.size >= mostCalls) return
    this.operations++
    const place = this.#random.below(targets.length)
    const kv = targets[place] as Target
    const key = this.#random.pick(weighted)
    const dice = this.#random.next()
    if (dice < 0.45) void this.#read(place, kv, key)
    else if (dice < 0.52 && !this.#lags) void this.#readMany(place, kv)
    else if (dice < 0.56) void this.#list(place, kv)
    else if (dice < 0.74) void this.#set(place, kv, key)
    else if (dice < 0.82) void this.#delete(place, kv, key)
    else if (dice < 0.88) void this.#setMany(place, kv)
    else if (dice < 0.98) void this.#update(place, kv, key)
    else void this.#clear(place, kv)
  }

  /** This share of the callers give up; each is told soon, whatever hangs. */
  async giveUp(share: number): Promise<void> {
    const ended = Array.from(this.#calls).filter(() => this.#random.chance(share))
    for (const { abort } of ended) abort.abort()
    for (let i = 0; i < fewTurns && ended.some((one) => !one.isSettled); i++) await settled()
    for (const one of ended) if (!one.isSettled) this.violations.push(`${one.name} went on after its end`)
    for (const one of ended) this.#calls.delete(one)
  }

  /** Nobody of this process is there any more who could hear an answer. */
  forget(place: number): void {
    for (const call of this.#calls) if (call.process === place) this.#calls.delete(call)
  }

  /** Make a call; what it settled with, or the error. */
  async #call<T>(
    name: string,
    place: number,
    make: (settings: object) => Promise<T>,
  ): Promise<T | StoreError> {
    const call: Call = { name, process: place, abort: new AbortController(), isSettled: false }
    this.#calls.add(call)
    try {
      return await make({ signal: call.abort.signal, timeoutMs: 3_600_000 })
    } catch (error) {
      if (isStoreError(error)) return error
      this.violations.push(`${name} rejected with ${String(error)}`)
      return new StoreError('OUTCOME_UNKNOWN', String(error), { cause: error })
    } finally {
      call.isSettled = true
      this.#calls.delete(call)
    }
  }

  async #read(place: number, kv: Target, key: string): Promise<void> {
    const reader = this.#history.reader(place)
    const strong = this.#random.chance(0.1) && !this.#lags ? { consistency: 'strong' } : {}
    const found = await this.#call('getEntry', place, (settings) =>
      kv.getEntry(key, { ...settings, ...strong }),
    )
    if (isStoreError(found)) return
    if (found?.meta?.stale === true) {
      if (!this.#history.wasWritten(key, found.value.id))
        this.violations.push(`${key}: stale and never written`)
    } else this.#check(key, found?.value, reader)
  }

  async #readMany(place: number, kv: Target): Promise<void> {
    const reader = this.#history.reader(place)
    const found = await this.#call('getMany', place, (settings) => kv.getMany(keys, settings))
    if (!isStoreError(found)) for (const [i, key] of keys.entries()) this.#check(key, found[i], reader)
  }

  #check(key: string, value: Value | undefined, reader: Reader): void {
    const wrong = this.#history.wrong(key, value?.id, reader)
    if (wrong !== undefined) this.violations.push(wrong)
    if (value !== undefined && value.text !== textOf(value.id))
      this.violations.push(`${key}: a spoiled value`)
  }

  async #list(place: number, kv: Target): Promise<void> {
    const reader = this.#history.reader(place)
    const listed = await this.#call('keys', place, async (settings) => {
      const all = new Set<string>()
      for await (const key of kv.keys(settings)) all.add(key)
      return all
    })
    if (isStoreError(listed)) return
    for (const key of keys) {
      const wrong = listed.has(key) ? undefined : this.#history.wrong(key, undefined, reader)
      if (wrong !== undefined && !this.#lags) this.violations.push(`a listing: ${wrong}`)
    }
  }

  async #set(place: number, kv: Target, key: string): Promise<void> {
    const ttlMs = this.#random.chance(0.2) ? 1 + this.#random.below(100) : undefined
    const value = this.#value()
    const write = this.#history.start(place, key, value.id, ttlMs)
    const result = await this.#call('set', place, (settings) => kv.set(key, value, { ...settings, ttlMs }))
    this.#ended(write, result)
  }

  async #delete(place: number, kv: Target, key: string): Promise<void> {
    const write = this.#history.start(place, key, undefined)
    this.#ended(write, await this.#call('delete', place, (settings) => kv.delete(key, settings)))
  }

  async #setMany(place: number, kv: Target): Promise<void> {
    const values = keys.map((key) => [key, this.#value()] as const)
    const writes = values.map(([key, { id }]) => this.#history.start(place, key, id))
    const results = await this.#call('setMany', place, (settings) => kv.setMany(values, settings))
    const each = isStoreError(results) ? (results.results as unknown[] | undefined) : results
    for (const [i, write] of writes.entries()) this.#ended(write, each?.[i] ?? results)
  }

  async #update(place: number, kv: Target, key: string): Promise<void> {
    if (kv.update === undefined) return
    const value = this.#value()
    const write = this.#history.start(place, key, value.id, 'keep')
    const update = kv.update.bind(kv)
    this.#ended(write, await this.#call('update', place, (settings) => update(key, () => value, settings)))
  }

  async #clear(place: number, kv: Target): Promise<void> {
    const writes = keys.map((key) => this.#history.start(place, key, undefined))
    const result = await this.#call('clear', place, (settings) => kv.clear({ ...settings, all: true }))
    // What ended early deleted some of them.
    for (const write of writes) if (!isStoreError(result)) this.#ended(write, result)
  }

  #value(): Value {
    const id = this.#history.nextId()
    return { id, text: textOf(id) }
  }

  #ended(write: Write, result: unknown): void {
    if (!isStoreError(result)) this.#history.acknowledge(write)
    else if (result.code !== 'OUTCOME_UNKNOWN' && result.code !== 'PARTIAL') write.isRefused = true
  }
}

function textOf(id: number): string {
  return `value ${id} `.repeat(20)
}
