import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { isStoreError, StoreError, type Version } from '@unikv/core'
import { z } from 'zod'
import type { TunerLog } from '../log/tuner-log.ts'
import { features } from './features.ts'
import { Lessons, type LessonsOptions } from './lessons.ts'
import { lessonsStateIn } from './lessons-state.ts'

/** Where lessons are kept, and what they begin from. */
export interface KeptLessonsOptions extends Omit<LessonsOptions, 'from'> {
  readonly log: TunerLog
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}

const key = 'lessons'
const vectors = z.record(z.string(), z.array(z.number()).length(features.length))
/** They are written this often at most. */
const writeMs = 60_000
/** Proposals without an end that are remembered. */
const mostPending = 100
/** No lessons are larger. */
const mostBytes = 64 * 1024 * 1024

/** Lessons that are kept in the log: read when this process begins to act, written by it from time to time. */
export class KeptLessons {
  readonly #options: KeptLessonsOptions
  #lessons: Lessons
  /** Vectors of proposals whose end is not known yet. */
  #pending = new Map<string, readonly number[]>()
  #version: Version | null | undefined
  #writtenAt = 0
  #isChanged = false

  constructor(options: KeptLessonsOptions) {
    this.#options = options
    this.#lessons = new Lessons(options)
  }

  get lessons(): Lessons {
    return this.#lessons
  }

  /** Read what was kept, once. */
  async read(): Promise<void> {
    if (this.#version !== undefined) return
    const entry = await this.#options.log.records.getEntry(key)
    if (entry !== undefined) await this.#take(entry.value)
    this.#version = entry?.version ?? null
    this.#writtenAt = this.#options.clock()
  }

  /** Remember the numbers of a store until it is known what a tactic did to it. */
  proposed(id: string, vector: ArrayLike<number>): void {
    this.#pending.set(id, Array.from(vector))
    const [oldest] = this.#pending.keys()
    if (this.#pending.size > mostPending && oldest !== undefined) this.#pending.delete(oldest)
    this.#isChanged = true
  }

  /** Learn what became of a proposal. */
  ended(id: string, tactic: string, hasHelped: boolean): void {
    const vector = this.#pending.get(id)
    if (vector === undefined) return
    this.#pending.delete(id)
    if (hasHelped) this.#lessons.learn(vector, tactic)
    else this.#lessons.learnNone(vector)
    this.#isChanged = true
  }

  /** A store was well. */
  healthy(vector: ArrayLike<number>): void {
    this.#lessons.learnHealthy(vector)
    this.#isChanged = true
  }

  /** Write, if something was learned and the last time is a minute ago. */
  async save({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    const now = this.#options.clock()
    if (!this.#isChanged || this.#version === undefined) return
    if (!isLast && now - this.#writtenAt < writeMs) return
    this.#writtenAt = now
    try {
      const { version } = await this.#options.log.records.set(key, await this.#encoded(), {
        ifVersion: this.#version,
      })
      this.#version = version as Version
      this.#isChanged = false
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'CONDITION_FAILED') throw error
      // Another process has acted in the meantime. It knows more.
      this.#version = undefined
      this.#isChanged = false
    }
  }

  async #encoded(): Promise<Buffer> {
    const kept = { lessons: this.#lessons.state, pending: Object.fromEntries(this.#pending) }
    return promisify(gzip)(JSON.stringify(kept))
  }

  async #take(bytes: Uint8Array): Promise<void> {
    try {
      const text = (await promisify(gunzip)(bytes, { maxOutputLength: mostBytes })).toString()
      const { lessons, pending } = JSON.parse(text) as Record<string, unknown>
      const from = lessonsStateIn('The lessons of the tuner', lessons)
      this.#pending = new Map(Object.entries(vectors.parse(pending)))
      this.#lessons = new Lessons({ ...this.#options, from })
    } catch (cause) {
      const what = 'The lessons of the tuner cannot be read, so it begins to learn anew.'
      this.#options.onError(new StoreError('CORRUPT', what, { cause, key }))
    }
  }
}
