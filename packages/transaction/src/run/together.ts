import { isConditionFailed, isStoreError, type Version, type WriteResult } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { Step } from '../layer/step.ts'
import { type Ending, isCode } from '../log/log.ts'
import type { Parts, Share } from './participant.ts'
import { changesOf, forget, look, versionOf } from './shares.ts'

/**
 * Commit what is all in one store that can do it in one step, without frames and without a log. Resolves to whether all was as it had been
 * read; `elsewhere`: it is not in one store, or the store cannot, and nothing was changed.
 *
 * @throws {StoreError} `OUTCOME_UNKNOWN` if the answer was lost and others have changed all its records since
 */
export async function commitTogether(parts: Parts, call: Ending): Promise<boolean | 'elsewhere'> {
  const used = parts.shares.filter(
    ({ reads, writes, listings }) => reads.size + writes.size + listings.length > 0,
  )
  const [share] = used
  if (share === undefined || used.length > 1 || !share.participant.makesTogether) return 'elsewhere'
  // The step looks at records, and not at what is between them.
  if (share.listings.length > 0) return 'elsewhere'
  const before = await look(parts.attempt, share, call)
  const step = new Step('together', parts.attempt, before.size)
  const made = await new Together(share, before, step, call).run()
  if (made === true) await forget(parts)
  return made ?? 'elsewhere'
}

/** The one step of an attempt in its store. */
class Together {
  readonly #share: Share
  /** The versions of its records, as they were read. */
  readonly #before: ReadonlyMap<string, Version | undefined>
  readonly #step: Step
  readonly #call: Ending

  constructor(share: Share, before: ReadonlyMap<string, Version | undefined>, step: Step, call: Ending) {
    this.#share = share
    this.#before = before
    this.#step = step
    this.#call = call
  }

  /** Whether it was made; `undefined`: the store cannot. */
  async run(): Promise<boolean | undefined> {
    let lost: unknown
    for (let count = 0; ; count++) {
      try {
        const made = await this.#send()
        if (lost === undefined || made === true) return made
      } catch (error) {
        if (!isCode(error, 'OUTCOME_UNKNOWN') && lost === undefined) throw error
        lost ??= error
      }
      const fate = await this.#look(lost)
      if (fate !== undefined) return fate
      if (leftMs(this.#call) <= 0) throw lost
      await pause(Math.min(200, 2 ** count), { signal: this.#call.signal })
    }
  }

  /**
   * Whether a second step is harmless if the first one comes late: it meets a version of the second. One that only makes records might come when
   * others have removed them, and bring them back.
   */
  get #mayRepeat(): boolean {
    return [...this.#share.writes.keys()].some((key) => this.#before.get(key) !== undefined)
  }

  async #send(): Promise<boolean | undefined> {
    const results = await this.#share.participant.write(changesOf(this.#share), this.#step, this.#call)
    if (results.some((result) => isCode(result, 'UNSUPPORTED'))) return undefined
    const failed = results.find((result) => isStoreError(result))
    if (failed !== undefined) throw failed
    return !results.some((result: WriteResult) => isConditionFailed(result))
  }

  /**
   * The outcome of a step whose answer was lost. A version never comes back: with a record of its own the step was made,
   * and while another record than the one to be replaced is there, it never will be. `undefined`: it may still be made.
   *
   * @throws `lost`, if that cannot be told
   */
  async #look(lost: unknown): Promise<boolean | undefined> {
    const keys = [...this.#before.keys()]
    const found = await this.#share.participant
      .read(
        keys.map((key) => ({ key, head: true })),
        undefined,
        this.#call,
      )
      .catch(() => undefined)
    if (found === undefined || found.some((result) => isStoreError(result))) return undefined
    const now = new Map(keys.map((key, i) => [key, versionOf(found[i])]))
    const isAsBefore = (key: string): boolean => now.get(key) === this.#before.get(key)
    const changes = changesOf(this.#share)
    if (changes.some(({ key, type, version }) => type === 'set' && now.get(key) === version)) return true
    if (keys.every(isAsBefore)) {
      if (this.#mayRepeat) return undefined
      throw lost
    }
    // A record that was not there may have been made, and removed by others.
    const tells = (key: string): boolean => this.#before.get(key) !== undefined
    if (changes.some(({ key }) => tells(key) && isAsBefore(key))) return false
    throw lost
  }
}
