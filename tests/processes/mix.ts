import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError } from '@unikv/core'
import type { Random } from '@unikv/test-kit/schedules'
import type { Rejection } from './excuses.ts'
import { type Journal, now } from './journal.ts'
import type { Call, Kv, Stack } from './stack.ts'

/** What a process does at random. */
export interface MixSetting {
  readonly keys: readonly string[]
  /** Calls under way at the same time. */
  readonly callers: number
  /** Calls in all, at least. */
  readonly calls: number
  readonly timeoutMs: number
  /** How long it lasts, at least. @default 0 */
  readonly forMs?: number | undefined
  /** The longest pause between two calls of one caller. @default 0 */
  readonly thinkMs?: number | undefined
}

/** What the caller of one attempt knows. */
interface Attempt {
  readonly call: Call
  readonly timeoutMs: number
  abortedAtMs?: number
}

/** Callers who read and write a few keys at random, and write down what they did and saw. */
export class Mix {
  /** Calls that have ended. */
  ended = 0
  readonly #setting: MixSetting
  readonly #kv: Kv
  readonly #near: Stack['near']
  readonly #journal: Journal
  readonly #random: Random
  readonly #name: string
  #begun = 0

  /** `name` makes the values of this process unique. */
  constructor(setting: MixSetting, { kv, near }: Stack, journal: Journal, random: Random, name: string) {
    this.#setting = setting
    this.#kv = kv
    this.#near = near
    this.#journal = journal
    this.#random = random
    this.#name = name
  }

  async run(): Promise<void> {
    const { callers, forMs = 0 } = this.#setting
    const untilMs = now() + forMs
    await Promise.all(Array.from({ length: callers }, () => this.#caller(untilMs)))
    this.#journal.flush()
  }

  async #caller(untilMs: number): Promise<void> {
    const { calls, thinkMs = 0 } = this.#setting
    while (this.#begun < calls || now() < untilMs) {
      if (thinkMs > 0) await pause(this.#random.next() * thinkMs)
      this.#begun++
      await this.#any()
      this.ended++
    }
  }

  #any(): Promise<void> {
    const key = this.#random.pick(this.#setting.keys)
    const kind = this.#random.next()
    if (kind < 0.57) return this.#get(key)
    if (kind < 0.82) return this.#getMany()
    if (kind < 0.85) return this.#get(key, 'strong')
    if (kind < 0.95) return this.#write(key, `${this.#name}.${this.#begun}`)
    if (kind < 0.98) return this.#write(key, undefined)
    return this.#touch(key)
  }

  async #get(key: string, consistency?: string): Promise<void> {
    const attempt = this.#attempt(consistency)
    const startMs = now()
    try {
      const value = await this.#kv.get(key, attempt.call)
      const seen = { key, value, startMs, endMs: now() }
      this.#journal.seen(consistency === 'strong' ? { ...seen, isStrong: true } : seen)
    } catch (error) {
      this.#rejected('read', key, startMs, attempt, error)
    }
  }

  async #getMany(): Promise<void> {
    const keys = this.#setting.keys.filter(() => this.#random.chance(0.5))
    const attempt = this.#attempt()
    const startMs = now()
    try {
      const values = await this.#kv.getMany(keys, attempt.call)
      const endMs = now()
      for (const [i, key] of keys.entries()) this.#journal.seen({ key, value: values[i], startMs, endMs })
    } catch (error) {
      const results = isStoreError(error) && error.code === 'PARTIAL' ? error.results : undefined
      const endMs = now()
      for (const [i, key] of keys.entries()) {
        const result = results === undefined ? error : results[i]
        if (result instanceof Error) this.#rejected('read', key, startMs, attempt, result)
        else this.#journal.seen({ key, value: result as string | undefined, startMs, endMs })
      }
    }
  }

  /** Removals are never given up, since one of unknown outcome would explain any absence after it. */
  async #write(key: string, value: string | undefined): Promise<void> {
    const id = `${this.#name}.${this.#begun}`
    const attempt = value === undefined ? this.#patient() : this.#attempt()
    const untold = this.#untold
    this.#journal.begin(id, key, value)
    const startMs = now()
    try {
      await (value === undefined
        ? this.#kv.delete(key, attempt.call)
        : this.#kv.set(key, value, attempt.call))
      this.#journal.done(id, now(), this.#untold > untold)
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN') this.#journal.refused(id)
      this.#rejected('write', key, startMs, attempt, error)
    }
  }

  /** Writes of this process of which others were not told in time. */
  get #untold(): number {
    return this.#near?.stats().bus?.untold ?? 0
  }

  /** It changes no value. */
  async #touch(key: string): Promise<void> {
    const attempt = this.#attempt()
    const startMs = now()
    try {
      await this.#kv.touch(key, { ...attempt.call, ttlMs: this.#random.chance(0.5) ? 3_600_000 : undefined })
    } catch (error) {
      this.#rejected('write', key, startMs, attempt, error)
    }
  }

  #rejected(call: Rejection['call'], key: string, startMs: number, attempt: Attempt, error: unknown): void {
    const { timeoutMs, abortedAtMs } = attempt
    const code = isStoreError(error) ? error.code : String(error)
    this.#journal.rejected({ call, key, startMs, endMs: now(), code, timeoutMs, abortedAtMs })
  }

  #patient(consistency?: string): Attempt {
    const { timeoutMs } = this.#setting
    return { call: { timeoutMs, ...(consistency === undefined ? {} : { consistency }) }, timeoutMs }
  }

  /** Some callers have little time, and some give up. */
  #attempt(consistency?: string): Attempt {
    const kind = this.#random.next()
    const patient = this.#patient(consistency)
    if (kind < 0.04) {
      const timeoutMs = 1 + this.#random.below(15)
      return { call: { ...patient.call, timeoutMs }, timeoutMs }
    }
    if (kind > 0.08) return patient
    const controller = new AbortController()
    const attempt: Attempt = { ...patient, call: { ...patient.call, signal: controller.signal } }
    setTimeout(() => {
      attempt.abortedAtMs = now()
      controller.abort()
    }, this.#random.next() * 8)
    return attempt
  }
}
