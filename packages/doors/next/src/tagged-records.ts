import { createHash } from 'node:crypto'
// oxlint-disable-next-line no-restricted-imports -- Next.js tells the times of entries by this clock, with its origin
import { performance } from 'node:perf_hooks'
import { type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { type Durations, type Freshness, freshness, revalidated, type TagState } from './tag-state.ts'

/** A record that is concerned when one of its tags is revalidated. */
export interface Tagged {
  /** The mark that stood when the work on it began. */
  readonly begunAt: number
  readonly tags: readonly string[]
}

/** A record that may be shown, if there is one, and the mark that stood before it was read. */
export interface Found<R> {
  readonly mark: number
  readonly record?: R
  readonly freshness: Freshness
}

type Records<R> = KeyValue<string, R | TagState | number, Supporting<'conditionalWrite'>>

/**
 * Records with tags. Revalidations are in one order for all processes: each takes the next *mark*, a number in the store
 * that never falls, and writes it to its tags. A record keeps the mark that stood when the work on it began, so whether
 * a tag was revalidated after that does not depend on clocks.
 */
export class TaggedRecords<R extends Tagged> {
  readonly #open: () => Records<R>
  readonly #ttlMs: number
  #opened: Records<R> | undefined
  /** When this process learned of each mark, the latest last. */
  #learned: { readonly mark: number; readonly at: number }[] = []

  constructor(open: () => unknown, ttlMs: number) {
    this.#open = open as () => Records<R>
    this.#ttlMs = ttlMs
  }

  /** With the tags known so far, all comes in one call of the store; tags of the record alone need a second one. */
  async read(key: string, tags: readonly string[]): Promise<Found<R>> {
    const known = [...new Set(tags)]
    const [last, found, ...states] = await this.#kv.getMany(['mark', keyOf('e', key), ...known.map(tagKey)])
    const mark = this.#learn((last as number | undefined) ?? 0)
    const record = found as R | undefined
    if (record === undefined) return { mark, freshness: 'expired' }
    const others = [...new Set(record.tags)].filter((tag) => !known.includes(tag))
    if (others.length > 0) states.push(...(await this.#kv.getMany(others.map(tagKey))))
    const state = freshness(record.begunAt, states as (TagState | undefined)[], wallClock())
    return state === 'expired' ? { mark, freshness: state } : { mark, freshness: state, record }
  }

  /** @param lifeMs how long it may be shown at most */
  async write(key: string, record: R, lifeMs: number): Promise<void> {
    // An earlier record is older still.
    if (lifeMs <= 0) return void (await this.#kv.delete(keyOf('e', key)))
    const expiry = supports(this.#kv, 'ttl') ? { ttlMs: Math.min(lifeMs, this.#ttlMs) } : {}
    await this.#kv.set(keyOf('e', key), record, expiry as object)
  }

  /** Resolves when every read that begins from now on, in any process, sees it. */
  async revalidate(tags: string | readonly string[], durations?: Durations): Promise<void> {
    const named = new Set(typeof tags === 'string' ? [tags] : tags)
    const next = (last: unknown) => Math.max(((last as number | undefined) ?? 0) + 1, wallClock())
    const mark = (await this.#kv.update('mark', next)) as number
    const change = (old: unknown) => revalidated(old as TagState | undefined, mark, wallClock(), durations)
    const changes = await Promise.allSettled([...named].map((tag) => this.#kv.update(tagKey(tag), change)))
    const failed = changes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    if (failed.length === 0) return
    if (failed.length === changes.length) throw failed[0]
    throw new StoreError(
      'PARTIAL',
      `${failed.length} of ${changes.length} tags could not be revalidated. Revalidate them again.`,
      { cause: failed[0], done: changes.length - failed.length },
    )
  }

  /** A mark that stood at that time of `performance`, or an earlier one: then a record may be made anew for nothing. */
  markAt(time: number): number {
    return this.#learned.findLast(({ at }) => at <= time)?.mark ?? 0
  }

  #learn(mark: number): number {
    if (mark > (this.#learned.at(-1)?.mark ?? 0)) this.#learned.push({ mark, at: sinceEpoch() })
    if (this.#learned.length > mostLearned) this.#learned = this.#learned.slice(-mostLearned / 2)
    return mark
  }

  get #kv(): Records<R> {
    return (this.#opened ??= checked(this.#open()))
  }
}

const mostLearned = 1000

/** Milliseconds since 1970 by the clock that Next.js uses for the times of entries. */
export function sinceEpoch(): number {
  return performance.timeOrigin + performance.now()
}

/** For callers whom no compiler has told. */
function checked<R>(kv: Records<R>): Records<R> {
  if (supports(kv, 'conditionalWrite')) return kv
  const { name } = kv as { readonly name: string }
  throw new StoreError('UNSUPPORTED', `${name} does not have 'conditionalWrite', which tags need.`)
}

function tagKey(tag: string): string {
  return keyOf('t', tag)
}

/** Keys of Next.js may be of any length, as they hold arguments of functions. */
function keyOf(kind: 'e' | 't', name: string): string {
  if (name.length <= 100 && name.isWellFormed()) return `${kind}:${name}`
  return `${kind}#${createHash('sha256').update(name, 'utf16le').digest('hex')}`
}
