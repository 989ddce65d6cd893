import { bounded, type Call, isStoreError } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'
import type { Types } from '../layout/types.ts'
import { addEntries, type OutsideEntry, removeEntries } from '../outside/outside-index.ts'
import type { Outcome, Runner, RunPlan } from '../runs/runner.ts'
import { type Transact, takeNumber } from '../runs/small-transactions.ts'
import type { Spaces } from '../runs/spaces.ts'
import { unfinished } from './refusals.ts'
import { RunMemory } from './run-memory.ts'
import { OpenTransaction } from './transaction.ts'

/** The parts that runs share. */
export interface RunParts {
  /** Whether an open transaction on a group holds something. */
  readonly holds: boolean
  readonly types: Types
  readonly transact: Transact
  readonly runner: Runner
}

/** The attempts of one run share what they have taken and added outside of groups. */
export class RunScope {
  readonly parts: RunParts
  readonly memory: RunMemory = new RunMemory()
  readonly #call: Call

  constructor(parts: RunParts, call: Call) {
    this.parts = parts
    this.#call = call
  }

  async takeNumber(type: AnyEntityType, counter: string): Promise<number> {
    return takeNumber(this.parts.transact, type, counter, this.#call)
  }

  /** Add those entries that are not there yet. */
  async addMissing(spaces: Spaces, wanted: readonly OutsideEntry[]): Promise<void> {
    const entries = this.memory.missing(wanted)
    if (entries.length === 0) return
    for (const entry of entries) this.memory.add(entry)
    await spaces.aside(() => addEntries(this.parts.transact, entries, this.#call))
  }

  /** Remove entries of no entity. The sweep removes those that cannot be removed in time. */
  remove(entries: readonly OutsideEntry[]): Promise<void> {
    return removeEntries(this.parts.transact, entries, this.#call)
  }

  /** The run has failed. Where it is not known whether the entities are there, their entries stay. */
  async failed(error: unknown): Promise<void> {
    if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN') await this.remove(this.memory.unused([]))
  }
}

/** The transaction of one attempt, and what comes after the function that got it. */
export class Attempt {
  readonly tx: OpenTransaction
  readonly #scope: RunScope
  readonly #spaces: Spaces

  constructor(scope: RunScope, spaces: Spaces) {
    this.#scope = scope
    this.#spaces = spaces
    scope.memory.begin()
    this.tx = new OpenTransaction({
      types: scope.parts.types,
      spaces,
      memory: scope.memory,
      takeNumber: (type, counter, keep) =>
        spaces.aside(async () => keep(await scope.takeNumber(type, counter))),
      wantEntries: (entries) => this.#addEarly(entries),
    })
  }

  /**
   * The function has ended: no call of it may be under way, and entries outside of the groups must be there.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if it did not wait for its calls
   */
  async seal(): Promise<void> {
    const { tx } = this
    const isUnfinished = tx.end()
    if (isUnfinished && !this.#spaces.hasLost) throw unfinished()
    if (!this.#spaces.hasLost) await this.#scope.addMissing(this.#spaces, tx.added)
    if ((await tx.seal()) && !this.#spaces.hasLost) throw unfinished()
  }

  /** It took effect: what it removed, and what others of the run have added, goes. */
  committed(): Promise<void> {
    return this.#scope.remove([...this.tx.dropped, ...this.#scope.memory.unused(this.tx.added)])
  }

  /** Entries of one entity, before anything is held that would have to be let go for them. All others come together at the end. */
  async #addEarly(entries: readonly OutsideEntry[]): Promise<void> {
    if (this.#scope.parts.holds && !this.#spaces.holds) await this.#scope.addMissing(this.#spaces, entries)
  }
}

/** Opens the groups of a run, for each attempt. */
export interface Opening {
  open(): Promise<Spaces>
  /** The run is over. @default nothing */
  end?(): void
}

/** One run of a function of the application on one group or several, with all its attempts. */
export class GroupRun<R> {
  readonly #scope: RunScope
  readonly #opening: Opening
  readonly #work: (tx: OpenTransaction) => Promise<R>
  readonly #call: Call

  constructor(parts: RunParts, opening: Opening, work: (tx: OpenTransaction) => Promise<R>, call: Call) {
    this.#scope = new RunScope(parts, call)
    this.#opening = opening
    this.#work = work
    this.#call = call
  }

  async until(plan: RunPlan): Promise<R> {
    try {
      return await this.#scope.parts.runner.run(() => this.#attempt(), this.#call, plan)
    } catch (error) {
      await this.#scope.failed(error)
      throw error
    } finally {
      this.#opening.end?.()
    }
  }

  async #attempt(): Promise<Outcome<R>> {
    const spaces = await this.#opening.open()
    const attempt = new Attempt(this.#scope, spaces)
    const { tx } = attempt
    let result: R
    try {
      result = await bounded(
        this.#call,
        false,
        () => this.#scope.parts.runner.inside(() => this.#work(tx)),
        () => tx.end(),
      )
      await attempt.seal()
    } catch (error) {
      tx.end()
      const isLost = spaces.hasLost || !(await spaces.isConsistent().catch(() => true))
      await spaces.rollback()
      if (isLost) return { committed: false }
      throw error
    }
    if (!spaces.hasLost) return this.#commit(spaces, attempt, result)
    await spaces.rollback()
    return { committed: false }
  }

  async #commit(spaces: Spaces, attempt: Attempt, result: R): Promise<Outcome<R>> {
    let committed = false
    try {
      committed = await spaces.commit()
    } finally {
      // From now on an error or another attempt tells of late calls.
      if (!committed) attempt.tx.end()
    }
    if (!committed) return { committed }
    await attempt.committed()
    return { committed, result }
  }
}
