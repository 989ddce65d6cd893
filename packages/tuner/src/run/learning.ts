import { vectorOf } from '../learn/features.ts'
import type { KeptLessons } from '../learn/kept-lessons.ts'
import type { Action, State } from '../log/action.ts'
import type { Observations } from '../observe/observations.ts'
import type { Troubles } from '../observe/trouble.ts'
import { type StoreWork, workOf } from '../observe/work.ts'
import type { TunedStore } from '../tactic.ts'
import type { CourseParts } from './parts.ts'

/** The lessons about a store as it is now. */
export interface Lesson {
  readonly vector: Float64Array
  readonly votes: (tactic: string) => number
  readonly samples: number
  /** In words. */
  readonly path: readonly string[]
}

/** A store that is well teaches so this often at most. */
const healthyMs = 60_000
const underWay: readonly State[] = ['approved', 'begun', 'checking', 'undoing']

/** Learns from the course of tuning: from what tactics did, and from stores that are well. */
export class Learning {
  readonly #parts: CourseParts
  readonly #kept: KeptLessons | undefined
  readonly #observations: Observations
  readonly #troubles: Troubles
  /** Attributes of the indexes that were found at the last look, by store. */
  readonly #indexes = new Map<string, readonly (readonly string[])[]>()
  readonly #healthyAt = new Map<string, number>()

  constructor(parts: CourseParts, observations: Observations, troubles: Troubles) {
    this.#parts = parts
    this.#kept = parts.lessons
    this.#observations = observations
    this.#troubles = troubles
  }

  /** Read what was kept, before anything is decided. */
  async read(): Promise<void> {
    await this.#kept?.read()
  }

  /** Note what a tactic found at its look: the indexes of tables, if it tells them. */
  found(store: string, found: unknown): void {
    const { tables } = Object(found) as { readonly tables?: object }
    if (tables === undefined) return
    const all = Object.values(tables).flatMap(({ indexes = [] }: Partial<Tables>) => indexes)
    this.#indexes.set(
      store,
      all.map(({ by }) => by),
    )
  }

  /** The lessons about a store as it is; `undefined`: this tuner does not learn. */
  lessonOf(place: Place, actions: readonly Action[]): Lesson | undefined {
    const lessons = this.#kept?.lessons
    if (lessons === undefined) return undefined
    const vector = this.#vectorOf(place, actions)
    return { vector, votes: lessons.votes(vector), samples: lessons.samples, path: lessons.path(vector) }
  }

  proposed(id: string, lesson: Lesson | undefined): void {
    if (lesson !== undefined) this.#kept?.proposed(id, lesson.vector)
  }

  /** An action came to a state. One that is kept has helped, one that was taken back has not. */
  stepped({ id, tactic, state }: Action): void {
    if (state === 'kept' || state === 'undone') this.#kept?.ended(id, tactic, state === 'kept')
  }

  /** Learn from stores that are called, keep their promises, and are not being changed. */
  wellStores(troubled: ReadonlySet<string>, actions: readonly Action[]): void {
    const { placeOf, clock } = this.#parts
    if (this.#kept === undefined) return
    const now = clock()
    for (const store of Object.keys(this.#observations.latest?.frame ?? {})) {
      const place = placeOf(store)
      const isDue = now - (this.#healthyAt.get(store) ?? -Infinity) >= healthyMs
      if (place === undefined || !isDue || troubled.has(store) || !this.#isWell(store, actions)) continue
      this.#healthyAt.set(store, now)
      this.#kept.healthy(this.#vectorOf(place, actions))
    }
  }

  /** Write what was learned, if it is time. */
  async save(): Promise<void> {
    await this.#kept?.save()
  }

  async close(): Promise<void> {
    await this.#kept?.save({ isLast: true }).catch(this.#parts.onError)
  }

  #isWell(store: string, actions: readonly Action[]): boolean {
    const { figures, seenMs } = this.#observations.last(store, '30s')
    const work: StoreWork = workOf(figures, seenMs)
    const isCalled = Object.values(work).some(({ callsPerSecond }) => callsPerSecond > 0)
    const isChanged = actions.some((action) => action.store === store && underWay.includes(action.state))
    const policies = this.#parts.policies.filter((policy) => policy.store === store)
    return (
      isCalled && !isChanged && policies.every((policy) => this.#troubles.brokenSince(policy) === undefined)
    )
  }

  #vectorOf({ name, kind }: Place, actions: readonly Action[]): Float64Array {
    const { policies, configurationOf, clock } = this.#parts
    return vectorOf({
      store: name,
      kind,
      observations: this.#observations,
      configuration: configurationOf(name),
      policies: policies.filter(({ store }) => store === name),
      brokenSince: (policy) => this.#troubles.brokenSince(policy),
      actions: actions.filter(({ store }) => store === name),
      indexes: this.#indexes.get(name),
      now: clock(),
    })
  }
}

type Place = Pick<TunedStore, 'name' | 'kind'>

interface Tables {
  readonly indexes: readonly { readonly by: readonly string[] }[]
}
